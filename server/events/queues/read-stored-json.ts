/** Returns the value of a JSON column; undefined if the text is not JSON. */
export function readStoredJson(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
