import { createStore } from '../../ui/create-store.ts'

const KEY = 'parley.version'

/** True while the note about an upgrade is shown. */
export const hasNewVersion = createStore(false)

/** Shows the note if this browser last ran another version. On the browser's first visit, no note is shown. */
export function compareVersion(version: string): void {
  try {
    const seen = localStorage.getItem(KEY)
    if (seen === null) localStorage.setItem(KEY, version)
    else hasNewVersion.set(seen !== version)
  } catch {
    // Without storage, the version that ran last is unknown.
  }
}

/** Hides the note until the next upgrade. */
export function dismissVersion(version: string): void {
  hasNewVersion.set(false)
  try {
    localStorage.setItem(KEY, version)
  } catch {
    // Without storage, the note was not shown.
  }
}
