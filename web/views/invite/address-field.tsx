import { type ClipboardEvent, type ReactNode, useRef } from 'react'
import { t } from '../../text/t.ts'
import { type FieldKeyEvent, TextField } from '../../ui/fields/field.tsx'
import { AddressTags } from './address-tags.tsx'
import { type AddressContext, readAddresses, unique } from './addresses.ts'

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
