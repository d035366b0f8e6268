// A program as a command for a terminal.

export function command(code) {
  return `opbook eval '${code.trimEnd().replaceAll("'", "'\\''")}'`;
}

// Copy it, and say so on the button for a while.
export async function copy(code, button) {
  const text = button.textContent;
  try {
    await navigator.clipboard.writeText(command(code));
    button.textContent = "Copied";
  } catch {
    button.textContent = "Can't copy here";
  }
  setTimeout(() => { button.textContent = text; }, 2000);
}
