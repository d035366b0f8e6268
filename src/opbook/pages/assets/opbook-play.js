// Puts "Edit" at every example that an engine of this page can run, and a command to copy at those of the notation that
// none can. The editor itself is loaded when somebody asks for it. Without this script examples are what they were.
(function () {
  const folder = new URL("play/", document.currentScript.src);
  const server = document.querySelector('meta[name="opbook-playground"]')?.content;  // the token of opbook site serve
  const inPage = globalThis.opbookPlayground;  // what Python in the page is made of, where the site has it

  function canRun(language) {
    return Boolean(inPage) || (Boolean(server) && language === "qu");
  }

  const load = (name) => import(new URL(name, folder));

  // The comments above a fence say what its example is, as everywhere: <!-- example: continue -->.
  function directives(block) {
    const found = new Set();
    for (let node = block.previousSibling; node && node.nodeType !== Node.ELEMENT_NODE; node = node.previousSibling) {
      const match = node.nodeType === Node.COMMENT_NODE && node.data.match(/^\s*example\s*:\s*(\w+)/i);
      if (match) found.add(match[1].toLowerCase());
    }
    return found;
  }

  // On a builtin's page examples have ids, as it shows other code too; elsewhere all code of these languages is run.
  function findExamples() {
    const isBuiltin = document.querySelector("h1.ob-name");
    const language = (name) => (isBuiltin ? `.language-${name}[id^="run-"]` : `.language-${name}.highlight`);
    const blocks = document.querySelectorAll(`:is(${language("qu")}, ${language("python")}):not(.doc *, .ob-call, .ob-exercise details *)`);
    const last = {};
    return [...blocks].flatMap((block) => {
      const name = block.classList.contains("language-qu") ? "qu" : "python";
      const found = directives(block);
      const above = found.has("continue") ? last[name] : undefined;
      const example = {
        block,
        language: name,
        code: block.querySelector("pre > code").textContent,
        before: above ? [...above.before, ...(above.isRun ? [above.code] : [])] : [],
        isRun: !found.has("skip"),
        exercise: exerciseOf(block),
      };
      last[name] = example;
      return example.isRun ? [example] : [];
    });
  }

  // The fences of the exercise that a block is the stub of, by which an answer is judged.
  function exerciseOf(block) {
    const source = block.closest(".ob-exercise")?.dataset.source;
    return source && new TextDecoder().decode(Uint8Array.from(atob(source), (letter) => letter.charCodeAt(0)));
  }

  function button(text, title, action) {
    const made = document.createElement("button");
    made.type = "button";
    made.className = "ob-play-button ob-play-corner";
    made.textContent = text;
    made.title = title;
    made.addEventListener("click", action);
    return made;
  }

  function attach(example) {
    const { block, language } = example;
    if (block.dataset.play !== undefined) return;
    let corner;
    if (canRun(language)) {
      const title = example.exercise ? "Do this exercise here" : "Change this example and run it";
      corner = button("Edit", title, async () => {
        (await load("panel.js")).open(example, { server, inPage });
      });
    } else if (language === "qu" && !example.before.length) {
      corner = button("Copy command", "Copy this example as a command: opbook eval ...", async () => {
        (await load("command.js")).copy(example.code, corner);
      });
    } else {
      return;
    }
    block.dataset.play = canRun(language) ? "edit" : "copy";
    block.append(corner);
  }

  function begin() {
    findExamples().forEach(attach);
    const yours = document.querySelector(".ob-compare:not([data-set])");
    if (yours && inPage) {
      yours.dataset.set = "";
      load("compare.js").then((compare) => compare.attach(yours, { inPage }));
    }
  }

  if (typeof document$ !== "undefined") document$.subscribe(begin);
  else document.addEventListener("DOMContentLoaded", begin);
})();
