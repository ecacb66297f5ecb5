import { useMutation } from '@tanstack/react-query'
import Smile from 'lucide-react/icons/smile'
import X from 'lucide-react/icons/x'
import { type ReactNode, useRef, useState } from 'react'
import { MAX_STATUS_LENGTH } from '#rules/shared-limits.ts'
import { call } from '../api/call.ts'
import type { Emoji } from '../emoji/emoji.ts'
import { EmojiGlyph } from '../emoji/emoji-glyph.tsx'
import { EmojiPopover } from '../emoji/emoji-popover.tsx'
import { EndField, readEndChoice, toEndChoice } from '../scheduling/time-fields.tsx'
import type { EndId } from '../scheduling/time-options.ts'
import { toAppError } from '../store/app-error.ts'
import { useOrganization } from '../store/organization.ts'
import { t } from '../text/t.ts'
import { Button } from '../ui/button.tsx'
import { Dialog, DialogForm } from '../ui/dialog.tsx'
import { focusFirst } from '../ui/error-summary.tsx'
import { TextField } from '../ui/field.tsx'
import { ErrorNotice } from '../ui/notice.tsx'
import { showToast } from '../ui/toasts.ts'
import * as css from './status-dialog.module.css'

/** A common status with its emoji and its usual end. */
export type StatusPreset = { text: string; emoji: { emoji_name: string; emoji_code: string }; end: EndId | 'never' }

export const STATUS_PRESETS: readonly StatusPreset[] = [
  { text: t('Busy'), emoji: { emoji_name: 'working_on_it', emoji_code: '1f6e0' }, end: 'hour' },
  { text: t('In a meeting'), emoji: { emoji_name: 'calendar', emoji_code: '1f4c5' }, end: 'hour' },
  { text: t('Commuting'), emoji: { emoji_name: 'bus', emoji_code: '1f68c' }, end: 'half-hour' },
  { text: t('Out sick'), emoji: { emoji_name: 'hurt', emoji_code: '1f915' }, end: 'tomorrow' },
  { text: t('On vacation'), emoji: { emoji_name: 'palm_tree', emoji_code: '1f334' }, end: 'never' },
  { text: t('Working remotely'), emoji: { emoji_name: 'house', emoji_code: '1f3e0' }, end: 'tomorrow' },
]

type Errors = { text?: string | undefined; due?: string | undefined }

/** The user's status: an emoji, text, and the time at which it is cleared. */
export function StatusDialog({ onClose }: { onClose: () => void }): ReactNode {
  const { user_id, user_status } = useOrganization('user_id', 'user_status')
  const status = user_status[user_id]
  const current = status?.scheduled_end_time ?? null
  const [text, setText] = useState(status?.status_text ?? '')
  const [emoji, setEmoji] = useState<Emoji | null>(() => emojiOf(status))
  const [end, setEnd] = useState(() => toEndChoice(current))
  const [errors, setErrors] = useState<Errors>({})
  const form = useRef<HTMLFormElement>(null)
  const { mutate, isPending, error } = useMutation({
    mutationFn: (given: { text: string; emoji: Emoji | null; end: number | null }) =>
      call('POST /users/me/status', {
        status_text: given.text,
        ...(given.emoji ?? { emoji_name: '' }),
        scheduled_end_time: given.end,
      }),
    onSuccess(_, { text, emoji }) {
      showToast(text === '' && emoji === null ? t('Status cleared') : t('Status saved'))
      onClose()
    },
  })

  function submit() {
    const chosen = readEndChoice(end, current)
    const found: Errors = {
      text:
        [...text.trim()].length > MAX_STATUS_LENGTH
          ? t('Use at most {max, plural, one {# character} other {# characters}}.', { max: MAX_STATUS_LENGTH })
          : undefined,
      due: chosen.error,
    }
    setErrors(found)
    focusFirst(form.current, found)
    if (found.text === undefined && chosen.error === undefined) mutate({ text: text.trim(), emoji, end: chosen.at })
  }

  function choose(preset: StatusPreset) {
    setText(preset.text)
    setEmoji({ ...preset.emoji, reaction_type: 'unicode_emoji' })
    setEnd({ ...end, id: preset.end })
  }

  return (
    <Dialog title={t('Set status')} isOpen onClose={onClose}>
      <DialogForm ref={form} action={t('Save')} isPending={isPending} onSubmit={submit} onCancel={onClose}>
        {error !== null && <ErrorNotice title={t('Couldn’t save the status')} error={toAppError(error)} />}
        <div className={css.statusLine}>
          <StatusEmojiButton emoji={emoji} onChoose={setEmoji} />
          <TextField
            label={t('Your status')}
            name="text"
            value={text}
            placeholder={t('What’s your status?')}
            autoComplete="off"
            autoFocus
            error={errors.text ?? null}
            onChange={(value) => {
              setText(value)
              setErrors({})
            }}
          />
          {(text !== '' || emoji !== null) && (
            <Button
              kind="quiet"
              aria-label={t('Clear text and emoji')}
              icon={<X className="icon" aria-hidden="true" />}
              onPress={() => {
                setText('')
                setEmoji(null)
                form.current?.querySelector<HTMLElement>('[name="text"]')?.focus()
              }}
            />
          )}
        </div>
        <EndField
          label={t('Clear status')}
          never={t('Don’t clear')}
          current={current}
          value={end}
          error={errors.due ?? null}
          onChange={setEnd}
        />
        <Presets onChoose={choose} />
        {status !== undefined && (
          <div>
            <Button kind="quiet" onPress={() => mutate({ text: '', emoji: null, end: null })}>
              {t('Clear status now')}
            </Button>
          </div>
        )}
      </DialogForm>
    </Dialog>
  )
}

type Status = ReturnType<typeof useOrganization>['user_status'][string]

const emojiOf = (status: Status | undefined): Emoji | null =>
  status?.emoji_name === undefined || status.emoji_code === undefined || status.reaction_type === undefined
    ? null
    : { emoji_name: status.emoji_name, emoji_code: status.emoji_code, reaction_type: status.reaction_type }

function StatusEmojiButton(props: { emoji: Emoji | null; onChoose: (emoji: Emoji | null) => void }): ReactNode {
  const { emoji, onChoose } = props
  const trigger = useRef<HTMLButtonElement>(null)
  const [isOpen, open] = useState(false)
  return (
    <>
      <Button
        ref={trigger}
        aria-label={emoji === null ? t('Choose an emoji') : t('Change emoji: {name}', { name: emoji.emoji_name })}
        icon={emoji === null ? <Smile className="icon" aria-hidden="true" /> : <EmojiGlyph emoji={emoji} />}
        onPress={() => open(true)}
      />
      {isOpen && (
        <EmojiPopover
          label={t('Choose an emoji')}
          hint={t('Press Enter to choose the first emoji')}
          trigger={trigger}
          onChoose={({ emoji_name, emoji_code, reaction_type }) => {
            onChoose({ emoji_name, emoji_code, reaction_type })
            open(false)
          }}
          onClose={() => open(false)}
        />
      )}
    </>
  )
}

function Presets({ onChoose }: { onChoose: (preset: StatusPreset) => void }): ReactNode {
  return (
    <fieldset className={css.statusPresets}>
      <legend className="field-label">{t('Suggestions')}</legend>
      {STATUS_PRESETS.map((preset) => (
        <Button key={preset.text} kind="quiet" onPress={() => onChoose(preset)}>
          <span aria-hidden="true">{String.fromCodePoint(Number.parseInt(preset.emoji.emoji_code, 16))}</span>{' '}
          {preset.text}
        </Button>
      ))}
    </fieldset>
  )
}
