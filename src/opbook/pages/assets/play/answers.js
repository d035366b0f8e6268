// An answer that is an error, where an engine gives none itself.
export function failed(message) {
  return { printed: "", value: null, figures: [], error: { message, line: null, column: null }, seconds: 0 };
}
