// Sets formulas. KaTeX is fetched from this site, and only by pages that have a formula.
(function () {
  const folder = new URL("katex/", document.currentScript.src);
  let loading;

  function load() {
    loading ??= new Promise((resolve, reject) => {
      const style = document.createElement("link");
      style.rel = "stylesheet";
      style.href = new URL("katex.min.css", folder).href;
      const script = document.createElement("script");
      script.src = new URL("katex.min.js", folder).href;
      script.onload = resolve;
      script.onerror = reject;
      document.head.append(style, script);
    });
    return loading;
  }

  async function setFormulas() {
    const formulas = document.querySelectorAll(".arithmatex:not([data-set])");
    if (formulas.length === 0) return;
    await load();
    for (const formula of formulas) {
      const source = formula.textContent.trim();
      formula.dataset.set = "";
      katex.render(source.slice(2, -2), formula, { displayMode: source.startsWith("\\["), throwOnError: false });
    }
  }

  // Material replaces pages without loading them anew where a site asks for it; other themes have no document$.
  if (typeof document$ !== "undefined") document$.subscribe(setFormulas);
  else document.addEventListener("DOMContentLoaded", setFormulas);
})();
