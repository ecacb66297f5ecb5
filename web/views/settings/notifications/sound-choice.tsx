import Volume2 from 'lucide-react/icons/volume-2'
import type { ReactNode } from 'react'
import { NO_SOUND, NOTIFICATION_SOUNDS, playSound } from '../../../store/browser/notification-sound.ts'
import { useOwnSettings } from '../../../store/own-settings.ts'
import { t } from '../../../text/t.ts'
import { Button } from '../../../ui/buttons/button.tsx'
import { SelectField } from '../../../ui/fields/select-field.tsx'
import { withCurrentValue } from '../with-current-value.ts'

const OPTIONS = [...NOTIFICATION_SOUNDS.map(({ id, label }) => ({ id, label })), { id: NO_SOUND, label: t('None') }]

/** The choice of a sound for notifications. Choosing a sound plays it. */
export function SoundChoice(): ReactNode {
  const [{ notification_sound: sound }, change] = useOwnSettings()
  const play = (name: string) => void playSound(name).catch(() => {})
  return (
    <div className="sound-choice" data-setting="notification_sound">
      <SelectField
        label={t('Notification sound')}
        value={sound}
        options={withCurrentValue(OPTIONS, sound, (name) => name)}
        onChange={(name) => {
          change({ notification_sound: name })
          play(name)
        }}
      />
      <Button
        icon={<Volume2 className="icon" aria-hidden="true" />}
        isDisabled={sound === NO_SOUND}
        onPress={() => play(sound)}
      >
        {t('Play')}
      </Button>
    </div>
  )
}
