/** Returns the value of a column of JSON; undefined for text that is not JSON. */
export function readStoredJson(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
