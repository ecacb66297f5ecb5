import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { toAppError } from '../../../store/app-error.ts'
import { t } from '../../../text/t.ts'
import { SelectField } from '../../../ui/fields/select-field.tsx'
import { SaveStatus } from '../../settings/save-status.tsx'
import { choicesOf } from '../field.ts'
import { type AnswerProps, answerHint } from './answer.ts'

/** The key for no choice; other keys are never empty. */
const NOTHING = ''

/** A field with options, saved on change. */
export function ChoiceAnswer({ field, value: answer, save }: AnswerProps): ReactNode {
  const { mutate, isPending, isSuccess, variables, error } = useMutation({
    mutationFn: (key: string) => save(key),
    // Changes are sent in order, so that the last one wins.
    scope: { id: `answer ${field.id}` },
  })
  const present = answer?.value ?? NOTHING
  const choices = choicesOf(field).map(({ key, text }) => ({ id: key, label: text }))
  return (
    <div className="stack" style={{ '--gap': '0.25rem' } as object}>
      <SelectField
        label={field.name}
        value={isPending ? variables : present}
        options={field.required && present !== NOTHING ? choices : [{ id: NOTHING, label: t('None') }, ...choices]}
        description={answerHint(field)}
        error={error === null ? null : toAppError(error).message}
        onChange={(key) => key !== present && mutate(key)}
      />
      <SaveStatus state={isPending ? 'saving' : isSuccess ? 'saved' : 'idle'} />
    </div>
  )
}
