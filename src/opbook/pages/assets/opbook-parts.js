// This site has no Python for the page. A build that has it puts another file in this place.
globalThis.opbookPlayground = null;
