/** What a column of JSON holds; undefined for what is no JSON. */
export function readStoredJson(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
