import { type ReactNode, useState } from 'react'
import { endSession } from '../../api/session.ts'
import { toAppError } from '../../store/app-error.ts'
import { removePersonalDataAfter } from '../../store/browser/personal-data.ts'
import { countUnsavedDrafts } from '../../store/drafts/drafts.ts'
import { flushToasts, showToast } from '../../ui/feedback/toasts.ts'
import { lazyPart } from '../../ui/lazy-part.tsx'

const LogOutDialog = lazyPart(async () => (await import('./log-out-dialog.tsx')).LogOutDialog)

/** Returns a function that logs out. `dialog` asks the user to confirm if logging out would delete drafts. */
export function useLogOut(userId: number): { logOut: () => void; dialog: ReactNode } {
  const [isConfirming, confirm] = useState(false)
  return {
    logOut: () => (countUnsavedDrafts(userId) > 0 ? confirm(true) : void logOut(userId)),
    dialog: isConfirming && (
      <LogOutDialog userId={userId} onLogOut={() => void logOut(userId)} onClose={() => confirm(false)} />
    ),
  }
}

/** Logs out after all undoable actions have run, and removes the user's content from this browser. */
async function logOut(userId: number): Promise<void> {
  await flushToasts()
  try {
    await removePersonalDataAfter(userId, endSession)
  } catch (error) {
    return showToast(toAppError(error).message, { kind: 'error' })
  }
  location.assign('/login/')
}
