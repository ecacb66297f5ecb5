import Info from 'lucide-react/icons/info'
import { type ReactNode, type RefObject, useState } from 'react'
import { flushSync } from 'react-dom'
import { call } from '../../api/call.ts'
import { noteSendKeyKnown, wasSendKeyAsked } from '../../messages/send-settings.ts'
import { toAppError } from '../../store/app-error.ts'
import { updateOrganization } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/button.tsx'
import { showToast } from '../../ui/toasts.ts'
import * as css from '../sending/warnings.module.css'

/** The text when the user pressed Enter for the first time, and the position of the cursor. */
type Asked = { readonly before: string; readonly at: number }

/**
 * Asks once whether Enter sends, when a user for whom it starts a new line presses it for the first time. Nothing is
 * lost if the user goes on writing instead: the new line is there.
 */
export function useSendKeyQuestion(props: {
  field: RefObject<HTMLTextAreaElement | null>
  text: string
  onText: (text: string) => void
  /** Sends the latest text. */
  send: () => void
}): { ask: () => void; noteSent: () => void; question: ReactNode } {
  const { field, text, onText, send } = props
  const [asked, setAsked] = useState<Asked | null>(null)

  function choose(enterSends: boolean) {
    noteSendKeyKnown()
    setAsked(null)
    if (!enterSends) return field.current?.focus()
    void saveChoice()
    // The new line was not meant.
    if (asked !== null && withNewLine(asked) === text) flushSync(() => onText(asked.before))
    field.current?.focus()
    send()
  }

  return {
    ask() {
      if (text.trim() === '' || wasSendKeyAsked() || matchMedia('(pointer: coarse)').matches) return
      setAsked({ before: text, at: field.current?.selectionStart ?? text.length })
    },
    noteSent() {
      noteSendKeyKnown()
      setAsked(null)
    },
    question: asked !== null && (
      <fieldset className={css.warnings} aria-label={t('Send key')}>
        <div className={css.warning} data-kind="info">
          <Info className="icon" aria-hidden="true" />
          <span className={css.warningText} role="status">
            {t('Enter started a new line. Which key should send messages? You can change this in the settings.')}
          </span>
          <Button kind="quiet" onPress={() => choose(true)}>
            {t('Send with Enter')}
          </Button>
          <Button kind="quiet" onPress={() => choose(false)}>
            {t('Send with Ctrl+Enter')}
          </Button>
        </div>
      </fieldset>
    ),
  }
}

const withNewLine = ({ before, at }: Asked): string => `${before.slice(0, at)}\n${before.slice(at)}`

async function saveChoice(): Promise<void> {
  const change = (enter_sends: boolean) =>
    updateOrganization(({ user_settings }) => ({ user_settings: { ...user_settings, enter_sends } }))
  change(true)
  try {
    await call('PATCH /settings', { enter_sends: true })
    showToast(t('Enter sends messages now. Shift+Enter starts a new line.'))
  } catch (error) {
    change(false)
    showToast(toAppError(error).message, { kind: 'error' })
  }
}
