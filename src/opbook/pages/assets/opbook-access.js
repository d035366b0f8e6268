// What themes leave out for readers who do not see a page, or do not point at it: a name for the search, buttons at
// code that are no landmarks, and a place in the order of the keyboard for whatever scrolls by itself.
(function () {
  const scrolling = ".arithmatex, .md-typeset__scrollwrap, .md-typeset__table, .ob-tape, pre > code";
  let waiting = false;

  function amend() {
    waiting = false;
    document.querySelectorAll(".md-search[role=dialog]:not([aria-label])").forEach((search) => {
      search.setAttribute("aria-label", document.querySelector(".md-search__input")?.placeholder || "Search");
    });
    document.querySelectorAll("nav.md-code__nav:not([role])").forEach((buttons) => buttons.setAttribute("role", "none"));
    document.querySelectorAll(scrolling).forEach((box) => {
      if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
      else if (!box.hasAttribute("role")) box.removeAttribute("tabindex");
    });
  }

  // Once for all changes that come together: pages are put together by several scripts.
  function soon() {
    if (!waiting) requestAnimationFrame(amend);
    waiting = true;
  }

  new MutationObserver(soon).observe(document.documentElement, { childList: true, subtree: true });
  addEventListener("resize", soon);
  addEventListener("load", soon);
  document.fonts?.addEventListener("loadingdone", soon);  // formulas are as wide as their font
})();
