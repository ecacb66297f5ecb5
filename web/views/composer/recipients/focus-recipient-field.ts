/** Focuses a field of the compose box in the next frame, when the field is on the page. */
export const focusRecipientField = (name: 'channel' | 'topic' | 'people' | 'text'): number =>
  requestAnimationFrame(() => document.querySelector<HTMLElement>(`.composer [name="${name}"]`)?.focus())
