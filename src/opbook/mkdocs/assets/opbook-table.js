// Lets a table of builtins be filtered and sorted. Without this script it is a plain table, grouped by category.
(function () {
  const byText = new Intl.Collator(document.documentElement.lang || "en", { numeric: true, sensitivity: "base" });

  function set(table) {
    const groups = [...table.tBodies];
    const rows = groups.flatMap((group) => [...group.rows].filter((row) => !row.classList.contains("ob-table-group")));
    const sorted = document.createElement("tbody");
    sorted.hidden = true;
    table.append(sorted);

    rows.forEach((row) => {
      row.home = row.parentNode;
      row.words = `${row.textContent} ${row.dataset.words}`.toLowerCase();
    });

    // The same text for all to read and hear: how many rows are left.
    const box = document.createElement("div");
    box.className = "ob-table-filter";
    box.innerHTML = '<label>Filter <input type="search" autocomplete="off" spellcheck="false"></label> <span role="status"></span>';
    const [input, status] = [box.querySelector("input"), box.querySelector("[role=status]")];
    table.parentNode.before(box);

    function filter() {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      rows.forEach((row) => { row.hidden = !words.every((word) => row.words.includes(word)); });
      groups.forEach((group) => { group.hidden = ![...group.rows].some((row) => rows.includes(row) && !row.hidden); });
      const left = rows.filter((row) => !row.hidden).length;
      status.textContent = words.length ? `${left} of ${rows.length}` : "";
    }

    function sort(heading, column, direction) {
      heading.parentNode.querySelectorAll("th").forEach((other) => other.removeAttribute("aria-sort"));
      if (direction) {
        heading.setAttribute("aria-sort", direction);
        const sign = direction === "ascending" ? 1 : -1;
        const order = [...rows].sort((a, b) => sign * byText.compare(a.cells[column].textContent, b.cells[column].textContent));
        sorted.append(...order);
      } else {
        rows.forEach((row) => row.home.append(row));
      }
      sorted.hidden = !direction;
      filter();
    }

    [...table.tHead.rows[0].cells].forEach((heading, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = heading.textContent;
      heading.replaceChildren(button);
      button.addEventListener("click", () => {
        const next = { ascending: "descending", descending: "" };
        const now = heading.getAttribute("aria-sort");
        sort(heading, column, now ? next[now] : "ascending");
      });
    });
    input.addEventListener("input", filter);
    input.addEventListener("keydown", (event) => {
      if (event.key === "Escape") { input.value = ""; filter(); }
      event.stopPropagation();  // letters typed here are no shortcuts of the theme
    });
  }

  function setTables() {
    document.querySelectorAll("table[data-ob-table]:not([data-set])").forEach((table) => {
      table.dataset.set = "";
      set(table);
    });
  }

  if (typeof document$ !== "undefined") document$.subscribe(setTables);
  else document.addEventListener("DOMContentLoaded", setTables);
})();
