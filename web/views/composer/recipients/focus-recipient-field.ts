/** Focuses a field of the compose box once it is on the page. */
export const focusRecipientField = (name: 'channel' | 'topic' | 'people' | 'text'): number =>
  requestAnimationFrame(() => document.querySelector<HTMLElement>(`.composer [name="${name}"]`)?.focus())
