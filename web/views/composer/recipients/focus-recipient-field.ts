import { flushSync } from 'react-dom'

/**
 * Focuses a field of the compose box in an event handler, after the changes of the handler are shown. The next key
 * already belongs to the field.
 */
export function focusRecipientField(name: 'topic' | 'people' | 'text'): void {
  flushSync(() => {})
  document.querySelector<HTMLElement>(`.composer [name="${name}"]`)?.focus()
}
