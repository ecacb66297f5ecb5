import { useMutation } from '@tanstack/react-query'
import Check from 'lucide-react/icons/check'
import { type KeyboardEvent, type ReactNode, useState } from 'react'
import { toTrouble } from '../../store/trouble.ts'
import { TextField } from '../../ui/field.tsx'

/** A text that is saved when one leaves it or presses Enter, and says so; Escape takes back what was typed. */
export function AutosaveField(props: {
  label: string
  value: string
  description?: ReactNode
  autoComplete?: string
  /** What is wrong with a value, before the server is asked. */
  check?: (value: string) => string | null
  save: (value: string) => Promise<unknown>
}): ReactNode {
  const { label, value, description, autoComplete, check, save } = props
  const [draft, setDraft] = useState<string | null>(null)
  const [complaint, setComplaint] = useState<string | null>(null)
  const { mutate, reset, isSuccess, isPending, error } = useMutation({
    mutationFn: save,
    onSuccess: () => setDraft(null),
  })
  const shown = draft ?? value

  function saveDraft() {
    if (draft === null || draft === value || isPending) return
    const found = check?.(draft) ?? null
    setComplaint(found)
    if (found === null) mutate(draft)
  }

  function onKeyDown({ key }: KeyboardEvent) {
    if (key === 'Enter') saveDraft()
    if (key !== 'Escape') return
    setDraft(null)
    setComplaint(null)
    reset()
  }

  return (
    <div className="stack" style={{ '--gap': '0.25rem' } as object}>
      <TextField
        label={label}
        value={shown}
        autoComplete={autoComplete ?? 'off'}
        error={complaint ?? (error === null ? null : toTrouble(error).message)}
        description={description}
        onChange={(text) => {
          setDraft(text)
          setComplaint(null)
          reset()
        }}
        onBlur={saveDraft}
        onKeyDown={onKeyDown}
      />
      <p className="small saved" role="status">
        {isPending && 'Saving …'}
        {isSuccess && draft === null && (
          <>
            <Check className="icon" aria-hidden="true" /> Saved
          </>
        )}
      </p>
    </div>
  )
}
