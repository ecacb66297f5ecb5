import { useMutation } from '@tanstack/react-query'
import UserPlus from 'lucide-react/icons/user-plus'
import { type FormEvent, type ReactNode, useState } from 'react'
import { toAppError } from '../../store/app-error.ts'
import { useStoredState } from '../../store/browser/stored-state.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { ErrorNotice } from '../../ui/feedback/error-notice.tsx'
import { showToast } from '../../ui/feedback/toasts.ts'
import { membersOfPicked } from './picked-members.ts'
import { Picker } from './picker.tsx'
import { type PickerChoice, pickedAddresses } from './picker-choices.ts'

const NOBODY: { picks: readonly PickerChoice[] } = { picks: [] }

/** A form that adds users, groups and the subscribers of channels. It keeps the picks until they are added. */
export function AddPicked(props: {
  storageKey: string
  title: string
  label: string
  description: string
  action: string
  /** Users that are not offered. */
  without: ReadonlySet<number>
  /** Groups that are not offered. */
  withoutGroups?: ReadonlySet<number>
  /** Adds the picks. `inChannels` are the subscribers of the picked channels. Resolves to the text of the toast. */
  add: (picks: readonly PickerChoice[], inChannels: readonly number[]) => Promise<string>
}): ReactNode {
  const { storageKey, title, label, description, action, without, withoutGroups, add } = props
  const [{ picks }, keep, forget] = useStoredState(storageKey, () => NOBODY)
  const [problem, setProblem] = useState<string | null>(null)
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: async () => add(picks, await membersOfPicked(picks)),
    onSuccess(text) {
      forget()
      showToast(text)
    },
  })

  function submit(event: FormEvent) {
    event.preventDefault()
    if (isPending) return
    const found = problemWith(picks)
    setProblem(found)
    if (found === null) mutate()
  }

  return (
    <form className="settings-form" aria-label={title} noValidate onSubmit={submit}>
      {error !== null && <ErrorNotice title={t('Couldn’t add anyone')} error={toAppError(error)} />}
      <Picker
        label={label}
        description={description}
        offered={{ groups: 'all', channels: true }}
        picks={picks}
        without={without}
        withoutGroups={withoutGroups}
        onChange={(picks) => {
          keep({ picks })
          setProblem(null)
          reset()
        }}
      />
      {problem !== null && (
        <p className="field-error" role="alert">
          {problem}
        </p>
      )}
      <div>
        <Button type="submit" isPending={isPending} icon={<UserPlus className="icon" aria-hidden="true" />}>
          {action}
        </Button>
      </div>
    </form>
  )
}

function problemWith(picks: readonly PickerChoice[]): string | null {
  const unknown = pickedAddresses(picks)
  if (unknown.length > 0) return t('Fix or remove unknown people: {names}', { names: unknown.join(', ') })
  return picks.length === 0 ? t('Choose at least one person.') : null
}
