/** What somebody began to write, kept on this device. */
export type Draft = { topic?: string; text?: string }

const keyOf = (place: string) => `parley.draft.${place}`

export function readDraft(place: string): Draft {
  try {
    return JSON.parse(localStorage.getItem(keyOf(place)) ?? '{}') as Draft
  } catch {
    return {}
  }
}

export function saveDraft(place: string, draft: Draft): void {
  try {
    localStorage.setItem(keyOf(place), JSON.stringify(draft))
  } catch {
    // Without storage the draft lasts as long as the page.
  }
}

export function forgetDraft(place: string): void {
  try {
    localStorage.removeItem(keyOf(place))
  } catch {
    // As above.
  }
}
