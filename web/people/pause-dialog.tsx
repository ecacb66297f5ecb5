import { type ReactNode, useRef, useState } from 'react'
import { EndField, readEndChoice, toEndChoice } from '../scheduling/time-fields.tsx'
import { endMoment } from '../scheduling/time-options.ts'
import { useOwnSettings } from '../store/own-settings.ts'
import { t } from '../text/t.ts'
import { Dialog, DialogForm } from '../ui/dialog.tsx'
import { focusFirst } from '../ui/error-summary.tsx'
import { clockTime } from '../ui/time.tsx'
import { showToast } from '../ui/toasts.ts'

/** The two uses of the dialog: to pause the user's notifications, or to hide the user's availability from others. */
export type Pausing = 'notifications' | 'availability'

const TEXTS = {
  notifications: {
    title: t('Pause notifications'),
    about: t('No desktop notifications, sounds or push notifications. Unread counts and emails stay on.'),
    action: t('Pause'),
    never: t('Until I turn them back on'),
  },
  availability: {
    title: t('Hide my availability'),
    about: t('You appear offline, and others don’t see when you were last active.'),
    action: t('Hide'),
    never: t('Until I show it again'),
  },
} as const

/** The latest time that the API accepts. Notifications paused until then stay paused until the user resumes them. */
const FOREVER = 253_402_300_799

/** Asks for an end time, and pauses notifications or availability until then. */
export function PauseDialog({ pausing, onClose }: { pausing: Pausing; onClose: () => void }): ReactNode {
  const [, change] = useOwnSettings()
  const [end, setEnd] = useState(() => ({ ...toEndChoice(null), id: 'hour' as ReturnType<typeof toEndChoice>['id'] }))
  const [error, setError] = useState<string | null>(null)
  const form = useRef<HTMLFormElement>(null)
  const { title, about, action, never } = TEXTS[pausing]

  function submit() {
    const chosen = readEndChoice(end, null)
    setError(chosen.error ?? null)
    focusFirst(form.current, { due: chosen.error })
    if (chosen.error !== undefined) return
    onClose()
    if (pausing === 'notifications') change({ do_not_disturb_until: chosen.at ?? FOREVER })
    else change({ presence_enabled: false, presence_hidden_until: chosen.at ?? 0 })
    showToast(pausedText(pausing, chosen.at))
  }

  return (
    <Dialog title={title} isOpen onClose={onClose}>
      <DialogForm ref={form} action={action} isPending={false} onSubmit={submit} onCancel={onClose}>
        <p className="soft">{about}</p>
        <EndField
          label={t('How long')}
          never={never}
          current={null}
          value={end}
          error={error}
          onChange={(value) => {
            setEnd(value)
            setError(null)
          }}
        />
      </DialogForm>
    </Dialog>
  )
}

/** Returns true if notifications are paused without an end. */
export const isForever = (until: number): boolean => until >= FOREVER

function pausedText(pausing: Pausing, at: number | null): string {
  if (at === null) return pausing === 'notifications' ? t('Notifications are paused') : t('Your availability is hidden')
  const time = endMoment(at, Date.now() / 1000, clockTime)
  return pausing === 'notifications'
    ? t('Notifications are paused until {time}', { time })
    : t('Your availability is hidden until {time}', { time })
}
