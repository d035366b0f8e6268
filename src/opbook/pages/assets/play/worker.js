// Runs in a web worker of its own: loads Python with opbook and the plugins of this site, and answers messages.

let answer;

// Of a traceback, the line that says what it was.
const reason = (error) => String(error.message || error).trim().split("\n").at(-1);

async function load(parts) {
  importScripts(parts.folder + "pyodide.js");
  const python = await loadPyodide({ indexURL: parts.folder, packages: ["numpy"], env: parts.environment });
  const packages = await fetch(parts.folder + parts.packages);
  if (!packages.ok) throw new Error(`${packages.url} is not there (${packages.status})`);
  python.unpackArchive(await packages.arrayBuffer(), "zip", { extractDir: parts.home });
  answer = python.runPython(`
import json, sys
sys.path.insert(0, ${JSON.stringify(parts.home)})
from opbook.playground.answers import answer
from opbook.plugins.catalogue import catalogue
lambda message: json.dumps(answer(json.loads(message), catalogue()))
`);
}

onmessage = async ({ data }) => {
  if (data.parts) {
    load(data.parts).then(() => postMessage({ ready: true }), (error) => postMessage({ broken: reason(error) }));
  } else {
    let found;
    try {
      found = JSON.parse(answer(JSON.stringify(data.message)));
    } catch (error) {  // such as a lack of memory, behind which this Python is of no more use
      postMessage({ broken: reason(error) });
      return;
    }
    postMessage({ answer: found });
  }
};
