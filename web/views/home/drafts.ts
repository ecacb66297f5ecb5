/** What somebody began to write, kept on this device. `place` is theirs alone: others may use the same browser. */
export type Draft = { channelId?: number; topic?: string; text?: string }

const keyOf = (place: string) => `parley.draft.${place}`

export function readDraft(place: string): Draft {
  try {
    return JSON.parse(localStorage.getItem(keyOf(place)) ?? '{}') as Draft
  } catch {
    return {}
  }
}

/** Keeps the draft; one without a text is forgotten. */
export function saveDraft(place: string, draft: Draft): void {
  try {
    if (draft.text) localStorage.setItem(keyOf(place), JSON.stringify(draft))
    else localStorage.removeItem(keyOf(place))
  } catch {
    // Without storage the draft lasts as long as the page.
  }
}
