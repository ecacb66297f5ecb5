import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useMemo, useState } from 'react'
import { MAX_LENGTH } from '#rules/shared-limits.ts'
import { AutosaveField } from '../forms/autosave-field.tsx'
import { SaveStatus } from '../forms/setting-row.tsx'
import { Everyone } from '../picking/everyone.tsx'
import { Picker } from '../picking/picker.tsx'
import { type PickerChoice, pickedAddresses, pickedIds } from '../picking/picker-choices.ts'
import { toAppError } from '../store/app-error.ts'
import { useOrganization } from '../store/organization.ts'
import { t } from '../text/t.ts'
import { SelectField } from '../ui/select-field.tsx'
import { type AnswerProps, answerHint, asSentence, REQUIRED_FIELD_HINT } from './answer.ts'
import * as css from './fixed-answer.module.css'
import { choicesOf, FieldKind, idsIn } from './profile-fields.ts'
import { ProfileValue } from './profile-value.tsx'

/** The key for no choice; other keys are never empty. */
const NOTHING = ''

/** A field with options, saved on change. */
function ChoiceAnswer({ field, value: answer, save }: AnswerProps): ReactNode {
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

/** A field for users, saved on every change. */
function PeopleAnswer({ field, value: answer, save }: AnswerProps): ReactNode {
  const { realm_users } = useOrganization('realm_users')
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

/** Input types of fields that are not plain text. */
const INPUTS: Readonly<Record<number, { rows?: number; type?: 'date' | 'url' }>> = {
  [FieldKind.longText]: { rows: 4 },
  [FieldKind.date]: { type: 'date' },
  [FieldKind.link]: { type: 'url' },
}

/** A field for text, a date, a URL or an account name, saved on blur. */
function TextAnswer({ field, value: answer, save }: AnswerProps): ReactNode {
  const { name, type, required } = field
  const hint = answerHint(field)

  function check(value: string): string | null {
    const text = value.trim()
    if (text === '' && required) return REQUIRED_FIELD_HINT
    const most =
      type === FieldKind.link
        ? Number.POSITIVE_INFINITY
        : type === FieldKind.longText
          ? MAX_LENGTH.profileLongText
          : MAX_LENGTH.profileShortText
    return [...text].length > most
      ? t('Use at most {most, plural, one {# character} other {# characters}}.', { most })
      : null
  }

  return (
    <AutosaveField
      {...INPUTS[type]}
      label={name}
      value={answer?.value ?? ''}
      {...(hint !== undefined && { description: hint })}
      isRequired={required}
      check={check}
      save={(value) => save(value.trim())}
    />
  )
}

/** A profile field with an input for its type. */
export function AnswerField(props: AnswerProps): ReactNode {
  switch (props.field.type) {
    case FieldKind.choice:
      return <ChoiceAnswer {...props} />
    case FieldKind.people:
      return (
        <Everyone>
          <PeopleAnswer {...props} />
        </Everyone>
      )
    default:
      return <TextAnswer {...props} />
  }
}

/** A profile field that only administrators can edit. */
export function FixedAnswer({ field, value: answer }: Pick<AnswerProps, 'field' | 'value'>): ReactNode {
  return (
    <dl className={`field ${css.fixedAnswer}`}>
      <dt className="field-label">{field.name}</dt>
      <dd>
        {answer === undefined ? (
          <span className="soft">{t('Not set')}</span>
        ) : (
          <ProfileValue field={field} answer={answer} />
        )}
      </dd>
      <dd className="field-description">
        {t('{hint} Only administrators can change this.', { hint: asSentence(field.hint) })}
      </dd>
    </dl>
  )
}
