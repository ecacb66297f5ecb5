import { type ClipboardEvent, type ReactNode, useMemo, useRef, useState } from 'react'
import {
  type AddressContext,
  type AddressStatus,
  addressStatus,
  readAddresses,
  unique,
} from '../../picking/addresses.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/button.tsx'
import { type FieldKeyEvent, TextField } from '../../ui/field.tsx'
import { PickedTags } from '../../ui/picked-tags.tsx'

const REMARKS: Readonly<Record<AddressStatus, { remark?: string; kind?: 'warn' | 'danger' }>> = {
  fine: {},
  malformed: { remark: t('invalid address'), kind: 'danger' },
  member: { remark: t('already a member'), kind: 'warn' },
  invited: { remark: t('already invited'), kind: 'warn' },
  foreign: { remark: t('domain not allowed'), kind: 'warn' },
}

/** The maximum number of tags that are shown at first, since a thousand take seconds to render. */
const SHOWN = 60

type Props = { emails: readonly string[]; known: AddressContext; onRemove: (removed: ReadonlySet<string>) => void }

/** Email addresses as removable tags. If there are many, those with problems come first. */
function AddressTags({ emails, known, onRemove }: Props): ReactNode {
  const [showsAll, showAll] = useState(false)
  const judged = useMemo(() => emails.map((email) => ({ email, status: addressStatus(email, known) })), [emails, known])
  const malformed = judged.filter(({ status }) => status === 'malformed').map(({ email }) => email)
  const isLong = !showsAll && judged.length > SHOWN
  const shown = useMemo(
    () => (isLong ? judged.toSorted((one, other) => rank(one) - rank(other)).slice(0, SHOWN) : judged),
    [judged, isLong],
  )
  const tags = useMemo(
    () => shown.map(({ email, status }) => ({ id: email, label: email, ...REMARKS[status] })),
    [shown],
  )
  const count = t('{count, plural, one {# address} other {# addresses}}', { count: emails.length })
  return (
    <>
      <PickedTags label={count} tags={tags} onRemove={(ids) => onRemove(new Set([...ids].map(String)))} />
      <div className="row">
        {isLong && <Button onPress={() => showAll(true)}>{t('Show all {count}', { count: emails.length })}</Button>}
        {malformed.length > 1 && (
          <Button onPress={() => onRemove(new Set(malformed))}>
            {t('{count, plural, one {Remove # invalid address} other {Remove # invalid addresses}}', {
              count: malformed.length,
            })}
          </Button>
        )}
      </div>
      <span className="visually-hidden" role="status">
        {count}
      </span>
    </>
  )
}

const rank = ({ status }: { status: AddressStatus }) => (status === 'malformed' ? 0 : status === 'fine' ? 2 : 1)

const ENDS = new Set([',', ';'])

/** The entered email addresses, and the text that is still in the field. */
export type Addresses = { emails: readonly string[]; typed: string }

/** A field for email addresses, which users can type or paste in any form. Each address is marked with its status. */
export function AddressField(
  props: Addresses & {
    onChange: (change: Partial<Addresses>) => void
    known: AddressContext
    error: string | null
    /** A hint, shown with the description. */
    hint: string | null
  },
): ReactNode {
  const { emails, typed, onChange, known, error, hint } = props
  const field = useRef<HTMLDivElement>(null)

  const add = (text: string) => onChange({ typed: '', emails: unique([...emails, ...readAddresses(text)]) })

  function onKeyDown(event: FieldKeyEvent) {
    const { key } = event
    const isBetween = key === ' ' && typed.includes('@') && !typed.includes('<')
    if (ENDS.has(key) || key === 'Enter' || isBetween) {
      // Enter never submits, since sent emails can't be recalled.
      event.preventDefault()
      if (typed.trim() !== '') add(typed)
    } else if (key === 'Backspace' && typed === '') onChange({ emails: emails.slice(0, -1) })
    // Escape closes the dialog.
    else event.continuePropagation()
  }

  function onPaste(event: ClipboardEvent) {
    const text = event.clipboardData.getData('text/plain')
    if (!/[@,;\n]/.test(text)) return
    event.preventDefault()
    add(`${typed}${text}`)
  }

  function takeOut(removed: ReadonlySet<string>) {
    onChange({ emails: emails.filter((email) => !removed.has(email)) })
    if (removed.size > 1) field.current?.querySelector('input')?.focus()
  }

  return (
    <div ref={field} className="stack" style={{ '--gap': '0.5rem' } as object}>
      <TextField
        label={t('Email addresses')}
        name="emails"
        type="text"
        inputMode="email"
        autoComplete="off"
        autoFocus
        placeholder={emails.length === 0 ? t('ana@example.com, ben@example.com') : t('Add another')}
        value={typed}
        error={error}
        description={[t('Separate addresses with commas or Enter, or paste a list.'), hint].filter(Boolean).join(' ')}
        onChange={(typed) => onChange({ typed })}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
        onBlur={({ relatedTarget }) => {
          // Submitting the form also submits the text in the field. A new tag would move the submit button before the
          // click ends.
          const isSubmitted = relatedTarget instanceof HTMLButtonElement && relatedTarget.type === 'submit'
          if (!isSubmitted && typed.trim() !== '') add(typed)
        }}
      />
      {emails.length > 0 && <AddressTags emails={emails} known={known} onRemove={takeOut} />}
    </div>
  )
}
