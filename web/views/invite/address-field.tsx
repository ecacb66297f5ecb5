import { type ClipboardEvent, type KeyboardEvent, type ReactNode, useState } from 'react'
import { TextField } from '../../ui/field.tsx'
import { PickedTags } from '../../ui/picked-tags.tsx'
import { judge, type Known, readAddresses, type Standing, unique } from './addresses.ts'

const REMARKS: Readonly<Record<Standing, { remark?: string; kind?: 'warn' | 'danger' }>> = {
  fine: {},
  malformed: { remark: 'not an address', kind: 'danger' },
  member: { remark: 'already a member', kind: 'warn' },
  invited: { remark: 'already invited', kind: 'warn' },
  foreign: { remark: 'domain not allowed', kind: 'warn' },
}

const ENDS = new Set(['Enter', ',', ';', ' '])

/** Any number of e-mail addresses, typed or pasted in whatever form, each marked with what is known of it. */
export function AddressField(props: {
  emails: readonly string[]
  onChange: (emails: readonly string[]) => void
  known: Known
  error: string | null
}): ReactNode {
  const { emails, onChange, known, error } = props
  const [typed, setTyped] = useState('')

  function add(text: string) {
    const found = readAddresses(text)
    setTyped('')
    if (found.length > 0) onChange(unique([...emails, ...found]))
  }

  function onKeyDown(event: KeyboardEvent) {
    if (ENDS.has(event.key) && typed.trim() !== '') {
      event.preventDefault()
      add(typed)
    } else if (event.key === 'Backspace' && typed === '') onChange(emails.slice(0, -1))
  }

  function onPaste(event: ClipboardEvent) {
    const text = event.clipboardData.getData('text/plain')
    if (!/[@,;\n]/.test(text)) return
    event.preventDefault()
    add(`${typed}${text}`)
  }

  const count = emails.length === 1 ? '1 address' : `${emails.length} addresses`
  return (
    <div className="stack" style={{ '--gap': '0.5rem' } as object}>
      <TextField
        label="E-mail addresses"
        name="emails"
        type="text"
        inputMode="email"
        autoComplete="off"
        placeholder={emails.length === 0 ? 'ana@example.com, ben@example.com' : 'Another one'}
        value={typed}
        error={error}
        description="Paste a whole list if you have one; Enter or a comma ends an address."
        onChange={setTyped}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
        onBlur={() => add(typed)}
      />
      {emails.length > 0 && (
        <PickedTags
          label={count}
          tags={emails.map((email) => ({ id: email, label: email, ...REMARKS[judge(email, known)] }))}
          onRemove={(removed) => onChange(emails.filter((email) => !removed.has(email)))}
        />
      )}
      <span className="visually-hidden" role="status">
        {emails.length > 0 && count}
      </span>
    </div>
  )
}
