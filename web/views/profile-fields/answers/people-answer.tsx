import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useMemo, useState } from 'react'
import { toAppError } from '../../../store/app-error.ts'
import { useOrganization } from '../../../store/organization.ts'
import { t } from '../../../text/t.ts'
import { Picker } from '../../picking/picker.tsx'
import { type PickerChoice, pickedAddresses, pickedIds } from '../../picking/picker-choices.ts'
import { SaveStatus } from '../../settings/save-status.tsx'
import { idsIn } from '../field.ts'
import { type AnswerProps, answerHint, REQUIRED_FIELD_HINT } from './answer.ts'

/** A field for users, saved on every change. */
export function PeopleAnswer({ field, value: answer, save }: AnswerProps): ReactNode {
  const { realm_users } = useOrganization()
  const [draft, setDraft] = useState<readonly PickerChoice[] | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const { mutate, isPending, isSuccess, error, reset } = useMutation({
    mutationFn: (picks: readonly PickerChoice[]) => save(pickedIds(picks, 'person')),
    // Changes are sent in order, so that the last one wins.
    scope: { id: `answer ${field.id}` },
    onSuccess: (_, saved) => setDraft((now) => (now === saved ? null : now)),
  })
  const bots = useMemo(
    () => new Set(realm_users.filter(({ is_bot }) => is_bot).map(({ user_id }) => user_id)),
    [realm_users],
  )
  const present = useMemo(() => {
    // The server refuses users without an account.
    const there = new Set(realm_users.map(({ user_id }) => user_id))
    return idsIn(answer?.value ?? '[]').flatMap((id): PickerChoice[] => (there.has(id) ? [`person:${id}`] : []))
  }, [realm_users, answer])

  function change(picks: readonly PickerChoice[]) {
    reset()
    setDraft(picks)
    const found = findProblem(picks)
    setProblem(found)
    if (found === null) mutate(picks)
  }

  function findProblem(picks: readonly PickerChoice[]): string | null {
    const unknown = pickedAddresses(picks)
    if (unknown.length > 0) return t('Fix or remove unknown people: {names}', { names: unknown.join(', ') })
    return field.required && picks.length === 0 ? REQUIRED_FIELD_HINT : null
  }

  const refusal = problem ?? (error === null ? null : toAppError(error).message)
  const hint = answerHint(field)
  return (
    <div className="stack" style={{ '--gap': '0.25rem' } as object}>
      <Picker
        label={field.name}
        {...(hint !== undefined && { description: hint })}
        offered={{ groups: 'none', channels: false }}
        picks={draft ?? present}
        without={bots}
        onChange={change}
      />
      {refusal !== null && (
        <p className="field-error" role="alert">
          {refusal}
        </p>
      )}
      <SaveStatus state={isPending ? 'saving' : isSuccess ? 'saved' : 'idle'} />
    </div>
  )
}
