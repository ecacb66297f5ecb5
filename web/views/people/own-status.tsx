import { useMutation } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { call } from '../../api/call.ts'
import { toAppError } from '../../store/app-error.ts'
import { useOrganization } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { showToast } from '../../ui/feedback/toasts.ts'
import { TextField } from '../../ui/fields/field.tsx'

/** Common statuses with their emoji. */
const STATUS_PRESETS = [
  { text: t('Busy'), emoji: 'working_on_it', code: '1f6e0' },
  { text: t('In a meeting'), emoji: 'calendar', code: '1f4c5' },
  { text: t('Commuting'), emoji: 'bus', code: '1f68c' },
  { text: t('Out sick'), emoji: 'hurt', code: '1f915' },
  { text: t('On vacation'), emoji: 'palm_tree', code: '1f334' },
  { text: t('Working remotely'), emoji: 'house', code: '1f3e0' },
] as const

/** The maximum length in code points, as the server counts it. */
const MAX_LENGTH = 60

type Given = { status_text: string; emoji_name?: string; emoji_code?: string; reaction_type?: string }

export function OwnStatus(): ReactNode {
  const { user_id, user_status } = useOrganization()
  const status = user_status[user_id]
  const [draft, setDraft] = useState<string | null>(null)
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: (given: Given) => call('POST /users/me/status', given),
    onSuccess: (_, { status_text, emoji_name }) => {
      setDraft(null)
      showToast(status_text === '' && emoji_name === '' ? t('Status cleared') : t('Status saved'))
    },
  })
  const text = draft ?? status?.status_text ?? ''
  const isTooLong = [...text.trim()].length > MAX_LENGTH

  function submit(event: FormEvent) {
    event.preventDefault()
    if (!isTooLong && !isPending) mutate({ status_text: text.trim() })
  }

  return (
    <form className="own-status" onSubmit={submit} noValidate>
      <TextField
        label={t('Your status')}
        value={text}
        placeholder={t('What’s your status?')}
        autoComplete="off"
        error={
          isTooLong
            ? t('Use at most {max, plural, one {# character} other {# characters}}.', { max: MAX_LENGTH })
            : error === null
              ? null
              : toAppError(error).message
        }
        onChange={(value) => {
          setDraft(value)
          reset()
        }}
        after={
          <Button type="submit" isPending={isPending}>
            {t('Save')}
          </Button>
        }
      />
      <div className="row">
        {STATUS_PRESETS.map(({ text, emoji, code }) => (
          <Button
            key={text}
            kind="quiet"
            onPress={() =>
              mutate({ status_text: text, emoji_name: emoji, emoji_code: code, reaction_type: 'unicode_emoji' })
            }
          >
            <span aria-hidden="true">{String.fromCodePoint(Number.parseInt(code, 16))}</span> {text}
          </Button>
        ))}
        {status !== undefined && (
          <Button onPress={() => mutate({ status_text: '', emoji_name: '' })}>{t('Clear status')}</Button>
        )}
      </div>
    </form>
  )
}
