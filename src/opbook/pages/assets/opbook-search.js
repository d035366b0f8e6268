// Finds pages by their words. The index, search/opbook-index.js, is fetched when somebody begins to search.
(function () {
  const root = new URL("../../", document.currentScript.src);

  // Words that are in every question, and tell no page from another.
  const COMMON = new Set(("a about all am an and any are as at be been but by can could did do does done for from get getting gives had has "
    + "have how i if in instead into is it its like me my need of on or our out own please shall should so some than that the their "
    + "there these they this those to up use used using want was way we were what when which who why will with work works would you your")
    .split(" "));
  // Where a name is from tells little, once there is a name: np.where, torch.nn.functional.softmax.
  "opbook np numpy torch nn functional f jnp lax tf keras".split(" ").forEach((word) => COMMON.add(word));
  // What a word in one place weighs. A title counts far more than many mentions in a text.
  const WEIGHT = { title: 12, words: 9, heading: 4, sentence: 3, text: 1 };
  const WHOLE_NAME = 1000;  // the whole query is a page's title; half of it, if it is one of its other names
  const WHOLE_HEADING = 300, PART_OF_QUERY = 160, BEGINNING_OF_TITLE = 60;
  const MOST_SHOWN = 12, SHORTEST_BEGINNING = 3, SHORTEST_SLIP = 5;

  // ---- words ----

  const plain = (text) => text.normalize("NFKD").replace(/[\u0300-\u036f]/g, "").toLowerCase();
  const apart = (text) => text.replace(/([a-z\d])([A-Z])/g, "$1 $2").replace(/([A-Z]+)([A-Z][a-z])/g, "$1 $2").replace(/_/g, " ");
  const split = (text) => text.match(/[\p{L}\p{N}_]+/gu) || [];
  const joined = (text) => plain(text).replace(/[^\p{L}\p{N}]/gu, "");

  // Brings the forms of an English word together: masks, masked and masking are found as mask.
  function stem(word) {
    if (word.length < 4 || /[\d_]/.test(word)) return word;
    let s = word.replace(/is(e|ed|es|ing|ation)$/, "iz$1");
    if (/(ss|us|is)$/.test(s)) return s;
    s = s.replace(/ies$/, "y").replace(/s$/, "");
    const cut = s.match(/^(.{3,}?)(ization|ation|izing|ating|ing|ed)$/);
    if (cut && /[aeiouy]/.test(cut[1])) {
      s = cut[1] + (/^iz/.test(cut[2]) ? "iz" : "");
      if (/([^aeiouylsz])\1$/.test(s)) s = s.slice(0, -1);
    }
    return s.length > 3 ? s.replace(/e$/, "") : s;
  }

  // A name is found whole and by its parts: LayerNorm as layernorm, layer and norm.
  function* terms(text) {
    for (const name of split(text)) {
      const whole = stem(plain(name));
      yield whole;
      const parts = split(apart(name));
      if (parts.length > 1) {
        if (name.includes("_")) yield joined(name);
        for (const part of parts) yield stem(plain(part));
      }
    }
  }

  const telling = (words) => words.some((word) => !COMMON.has(word)) ? words.filter((word) => !COMMON.has(word)) : words;

  // A name as a query for it is compared: LayerNorm, layer_norm and "the layer norms" are one.
  const key = (words) => telling(words).map(stem).join("");
  const nameKey = (name) => key(split(apart(name)).map(plain));

  // ---- the index ----

  let loading;
  function load() {
    loading ??= new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = new URL("search/opbook-index.js", root).href;
      script.onload = () => resolve(read(window.opbookIndex));
      script.onerror = reject;
      document.head.append(script);
    });
    return loading;
  }

  // For each term: the pages that have it, each with what it weighs there as a whole and in each section.
  function read(pages) {
    const postings = new Map();
    const put = (term, page, section, weight) => {
      if (!postings.has(term)) postings.set(term, new Map());
      const places = postings.get(term);
      if (!places.has(page)) places.set(page, new Map());
      places.get(page).set(section, (places.get(page).get(section) || 0) + weight);
    };
    const putAll = (text, page, section, weight) => {
      const counts = new Map();
      for (const term of terms(text)) counts.set(term, (counts.get(term) || 0) + 1);
      counts.forEach((count, term) => put(term, page, section, weight * (1 + Math.log2(count) / 3)));
    };
    pages.forEach((page, number) => {
      page.words ||= [];
      page.names = [page.title, ...page.words].map(nameKey);
      putAll(page.title, number, -1, WEIGHT.title);
      for (const term of new Set(page.words.flatMap((word) => [...terms(word)]))) put(term, number, -1, WEIGHT.words);
      putAll(page.sentence || "", number, -1, WEIGHT.sentence);
      page.headings = new Set((page.sections || []).map(([, heading]) => joined(heading)));
      (page.sections || []).forEach(([, heading, text], section) => {
        putAll(heading, number, section, WEIGHT.heading);
        putAll(text, number, section, WEIGHT.text);
      });
    });
    return { pages, postings };
  }

  // ---- finding ----

  function distance(a, b, most) {
    if (Math.abs(a.length - b.length) > most) return most + 1;
    let last = [], row = Array.from({ length: b.length + 1 }, (_, j) => j);
    for (let i = 1; i <= a.length; i++) {
      const before = last;
      [last, row] = [row, [i]];
      for (let j = 1; j <= b.length; j++) {
        row[j] = Math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] !== b[j - 1]));
        if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) row[j] = Math.min(row[j], before[j - 2] + 1);
      }
    }
    return row[b.length];
  }

  // The known terms that a word of the query may mean, each with how sure that is; below SLIP it is another word.
  const SLIP = 0.4;
  function meanings(word, postings) {
    const term = stem(word), found = new Map();
    if (postings.has(term)) found.set(term, 1);
    if (word.length >= SHORTEST_BEGINNING) {
      for (const known of postings.keys()) {
        if (known !== term && known.startsWith(word)) found.set(known, SLIP + 0.4 * (word.length / known.length));
      }
    }
    const isRare = found.size === 0 || (found.size === 1 && found.has(term) && postings.get(term).size === 1);
    if (!isRare || word.length < SHORTEST_SLIP) return found;
    const most = word.length < 8 ? 1 : 2;
    for (const known of postings.keys()) {
      if (known !== term && known[0] === term[0] && distance(term, known, most) <= most) found.set(known, SLIP);
    }
    return found;
  }

  // The words of a query, without those that are in every question, and with names that nobody knows in parts.
  function asked(query, postings) {
    const names = split(query).flatMap((name) => {
      const word = plain(name);
      if (postings.has(stem(word)) || [...postings.keys()].some((known) => known.startsWith(word))) return [word];
      if (postings.has(joined(name))) return [joined(name)];
      return split(apart(name)).map(plain);
    });
    return [...new Set(telling(names))];
  }

  // Ranked pages: {page, score, all: whether every word is found, sections}.
  function find({ pages, postings }, query) {
    const words = asked(query, postings);
    if (words.length === 0) return [];
    const found = new Map();
    let possible = 0;
    words.forEach((word) => {
      const known = meanings(word, postings);
      const everywhere = new Set([...known.keys()].flatMap((term) => [...postings.get(term).keys()]));
      const rare = Math.log(1 + pages.length / Math.max(1, everywhere.size));
      possible += rare;
      for (const number of everywhere) {
        const sections = new Map();
        known.forEach((sure, term) => postings.get(term).get(number)?.forEach((weight, section) => {
          sections.set(section, Math.max(sections.get(section) || 0, sure * weight));
        }));
        const own = sections.get(-1) || 0;
        sections.delete(-1);
        const isSure = own >= SLIP * WEIGHT.words || [...known].some(([term, sure]) => sure > SLIP && postings.get(term).has(number));
        const best = Math.max(0, ...sections.values());
        const more = [...sections.values()].reduce((sum, weight) => sum + weight, 0) - best;
        const entry = found.get(number) || { page: pages[number], score: 0, covered: 0, count: 0, sections: new Map() };
        entry.score += rare * (own + best + Math.min(more, 6) / 3);
        entry.covered += rare;
        entry.count += isSure;
        sections.forEach((weight, section) => entry.sections.set(section, (entry.sections.get(section) || 0) + rare * weight));
        found.set(number, entry);
      }
    });
    const said = words.map((word) => likeliest(word, postings)), whole = said.join("");
    const results = [...found.values()].map(({ page, score, covered, count, sections }) => {
      const [title, ...others] = page.names;
      score *= (covered / possible) ** 2;
      if (title === whole) score += WHOLE_NAME;
      else if (others.includes(whole)) score += WHOLE_NAME / 2;
      else {
        score += PART_OF_QUERY * Math.max(share(title, said) ** 2, ...others.map((name) => share(name, said) ** 2 / 2));
        if (whole.length >= SHORTEST_BEGINNING && title.startsWith(whole)) score += BEGINNING_OF_TITLE * (whole.length / title.length);
        if (/\w\W+\w/.test(query) && page.headings.has(joined(query))) score += WHOLE_HEADING;
      }
      score *= page.boost || 1;
      // a heading that the query has whole comes first: softmax gradient leads to Gradient
      for (const section of sections.keys()) {
        if (share(nameKey(page.sections[section][1]), said)) sections.set(section, sections.get(section) + WHOLE_HEADING);
      }
      const ranked = [...sections].filter(([section]) => page.sections[section][0]).sort((a, b) => b[1] - a[1] || a[0] - b[0]);
      return { page, score, all: count === words.length, sections: ranked.slice(0, 2).map(([section]) => page.sections[section]) };
    });
    return results.sort((a, b) => b.all - a.all || b.score - a.score || a.page.title.localeCompare(b.page.title));
  }

  // The word that is meant by a word of the query: itself, unless only a slip of the pen leads to a known one.
  function likeliest(word, postings) {
    const term = stem(word);
    if (postings.has(term) && postings.get(term).size > 1) return term;
    const others = [...meanings(word, postings)].filter(([known, sure]) => sure === SLIP && known !== term);
    const [first] = others.sort(([a], [b]) => postings.get(b).size - postings.get(a).size);
    return first ? first[0] : term;
  }

  // How much of a query a name is, if it stands in it whole: half of "pytorch softmax" is softmax.
  function share(name, said) {
    for (let from = 0; from < said.length; from++) {
      let text = "";
      for (let to = from; to < said.length; to++) {
        text += said[to];
        if (text === name) return (to - from + 1) / said.length;
      }
    }
    return 0;
  }

  // The names that are most like a text, for one that is found nowhere.
  function nearest({ pages }, text, count = 3) {
    const pairs = (word) => new Set([...word].map((_, i) => word.slice(i, i + 2)).slice(0, -1));
    const wanted = pairs(joined(text));
    const likeness = (name) => {
      const other = pairs(name);
      return (2 * [...other].filter((pair) => wanted.has(pair)).length) / (wanted.size + other.size || 1);
    };
    return pages
      .map((page) => ({ page, like: Math.max(...page.names.map(likeness)) * (page.boost > 1 ? 1 : 0.7) }))
      .filter(({ like }) => like > 0.2)
      .sort((a, b) => b.like - a.like || a.page.title.localeCompare(b.page.title))
      .slice(0, count)
      .map(({ page }) => page);
  }

  window.opbookSearch = { find: async (query) => find(await load(), query), nearest: async (text) => nearest(await load(), text) };

  // ---- showing ----

  const address = (page, anchor = "") => new URL(page.url, root).href + (anchor && `#${anchor}`);
  function element(tag, attributes, ...children) {
    const made = Object.assign(document.createElement(tag), attributes);
    made.append(...children);
    return made;
  }

  // With from a folder, an address ends in the file itself.
  const local = (href) => location.protocol === "file:" ? href.replace(/\/(#|$)/, "/index.html$1") : href;
  const link = (page, text = page.title) => element("a", { href: local(address(page)) }, text);

  function between(links, last) {
    return links.flatMap((one, i) => [i === 0 ? "" : i === links.length - 1 ? last : ", ", one]);
  }

  // "Perhaps softmax, softplus or relu. Write it in ten minutes."
  async function consolation(text) {
    const { pages } = await load();
    const close = (await opbookSearch.nearest(text)).map((page) => link(page));
    const offers = pages.filter((page) => page.if_nothing).map((page) => link(page, page.if_nothing));
    return [...(close.length ? ["Perhaps ", ...between(close, " or "), ". "] : []), ...offers.flatMap((one) => [one, ". "])];
  }

  function setBox(box) {
    const input = box.querySelector("input"), list = box.querySelector("[role=listbox]"), status = box.querySelector("[role=status]");
    const toggle = document.getElementById("__search"), hint = status.textContent;
    let options = [], active = -1, latest = 0;

    function choose(index) {
      active = index;
      options.forEach((option, i) => option.setAttribute("aria-selected", String(i === index)));
      if (index < 0) input.removeAttribute("aria-activedescendant");
      else {
        input.setAttribute("aria-activedescendant", options[index].id);
        options[index].scrollIntoView({ block: "nearest" });
      }
    }

    function open(isOpen) {
      if (toggle && toggle.checked !== isOpen) {
        toggle.checked = isOpen;
        toggle.dispatchEvent(new Event("change"));
      }
      input.setAttribute("aria-expanded", String(isOpen && options.length > 0));
    }

    function option(href, className, ...children) {
      const made = element("a", { href: local(href), className: `md-search-result__link ${className}`, id: `ob-result-${options.length}`, tabIndex: -1 }, ...children);
      made.setAttribute("role", "option");
      options.push(made);
      return made;
    }

    async function show() {
      const query = input.value.trim(), turn = ++latest;
      const found = query ? await opbookSearch.find(query) : [];
      const whole = found.filter((result) => result.all), isWhole = whole.length > 0;
      const listed = (isWhole ? whole : found).slice(0, MOST_SHOWN);
      const advice = query && !isWhole ? await consolation(query) : [];
      if (turn !== latest) return;  // something else has been typed since
      options = [];
      const shown = listed.map(({ page, sections }) => element("div", { className: "ob-result", role: "presentation" },
        option(address(page), "ob-result-page",
          element("span", { className: "ob-result-title" }, page.title),
          element("span", { className: "ob-result-within" }, (page.within || []).join(" · ")),
          element("span", { className: "ob-result-sentence" }, page.sentence || "")),
        ...sections.map(([anchor, heading]) => option(address(page, anchor), "ob-result-section", heading))));
      list.replaceChildren(...shown);
      status.replaceChildren(...(!query ? [hint]
        : found.length === 0 ? [`Nothing is found for “${query}”. `, ...advice]
        : isWhole ? [`${listed.length < whole.length ? `${listed.length} of ` : ""}${whole.length} ${whole.length === 1 ? "page" : "pages"}`]
        : ["No page has all of these words. ", ...advice]));
      choose(-1);
      open(document.activeElement === input || box.contains(document.activeElement));
    }

    input.addEventListener("focus", () => { load(); open(true); });
    input.addEventListener("input", show);
    input.form.addEventListener("submit", (event) => event.preventDefault());
    input.form.addEventListener("reset", () => { setTimeout(show); input.focus(); });
    toggle?.addEventListener("change", () => toggle.checked && document.activeElement !== input && input.focus());
    input.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step && options.length) choose(((active + 1 + step + options.length + 1) % (options.length + 1)) - 1);
      else if (event.key === "Enter") options[Math.max(active, 0)]?.click();
      else if (event.key === "Escape") { open(false); input.blur(); }
      else {
        if (event.key === "Tab" && !status.querySelector("a")) open(false);
        return event.stopPropagation();  // letters typed here are no shortcuts of the theme
      }
      event.preventDefault();
      event.stopPropagation();
    });
    box.addEventListener("click", (event) => event.target.closest("a") && open(false));
    document.addEventListener("keydown", (event) => {
      const isTyping = event.target.closest?.("input, textarea, select, [contenteditable]");
      if (isTyping || event.metaKey || event.ctrlKey || event.altKey || !["/", "s", "f"].includes(event.key)) return;
      event.preventDefault();
      input.focus();
    });
  }

  // A page that is not there: the names that are most like the end of its address.
  async function suggest(place) {
    const name = decodeURIComponent(location.pathname).split("/").filter(Boolean).pop() || "";
    place.replaceChildren(...await consolation(name.replace(/\.html$/, "")));
  }

  document.querySelectorAll(".ob-search").forEach(setBox);
  document.querySelectorAll("[data-ob-suggest]").forEach(suggest);
})();
