import SendHorizontal from 'lucide-react/icons/send-horizontal'
import { memo, type ReactNode } from 'react'
import { t } from '../../../text/t.ts'
import { Button } from '../../../ui/buttons/button.tsx'
import { SendLater } from '../../scheduling/send-later.tsx'

/** The button that sends the message. With `onSchedule`, a menu next to it offers times to send the message later. */
export const SendButtons = memo(function SendButtons(props: {
  /** The keys that send the message, as shown in the tooltip. */
  keys: string
  isPending: boolean
  isDisabled: boolean
  onSchedule: ((at: number) => void) | null
}): ReactNode {
  const { keys, isPending, isDisabled, onSchedule } = props
  return (
    <div className="composer-send">
      <span>
        <Button
          type="submit"
          kind="primary"
          data-tooltip={t('Send')}
          data-keys={keys}
          isPending={isPending}
          isDisabled={isDisabled}
          icon={<SendHorizontal className="icon" aria-hidden="true" />}
        >
          <span className="composer-send-label">{t('Send')}</span>
        </Button>
      </span>
      {onSchedule !== null && <SendLater isDisabled={isPending || isDisabled} onChoose={onSchedule} />}
    </div>
  )
})
