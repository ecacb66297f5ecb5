import { type ReactNode, useState } from 'react'
import { useOwnSettings } from '../../../store/own-settings.ts'
import { rich } from '../../../text/rich.ts'
import { t } from '../../../text/t.ts'
import { Button } from '../../../ui/buttons/button.tsx'
import { useMinute } from '../../../ui/time/time.tsx'
import { isForever, PauseDialog } from '../../people/status/pause-dialog.tsx'
import { EndTime } from '../../scheduling/end-time.tsx'

/** Pauses notifications until a time, on all devices. */
export function DoNotDisturb(): ReactNode {
  const [{ do_not_disturb_until: until }, change] = useOwnSettings()
  const [isAsking, ask] = useState(false)
  const isPaused = until > useMinute()
  return (
    <section className="settings-group" aria-labelledby="do-not-disturb" data-setting="do_not_disturb_until">
      <h2 id="do-not-disturb">{t('Do not disturb')}</h2>
      <div className="settings-end">
        <p role="status">
          {!isPaused
            ? t('Notifications aren’t paused.')
            : isForever(until)
              ? t('Notifications are paused.')
              : rich('Notifications are paused until {time}.', { time: <EndTime at={until} /> })}
        </p>
        <div className="row">
          {isPaused && (
            <Button kind="primary" onPress={() => change({ do_not_disturb_until: 0 })}>
              {t('Resume notifications')}
            </Button>
          )}
          <Button onPress={() => ask(true)}>{isPaused ? t('Change…') : t('Pause notifications…')}</Button>
        </div>
      </div>
      {isAsking && <PauseDialog pausing="notifications" onClose={() => ask(false)} />}
    </section>
  )
}
