import type { ReactNode } from 'react'
import { FieldKind } from '../field.ts'
import { ProfileValue } from '../profile-value.tsx'
import { type AnswerProps, asSentence } from './answer.ts'
import { ChoiceAnswer } from './choice-answer.tsx'
import './fixed-answer.css'
import { t } from '../../../text/t.ts'
import { PeopleAnswer } from './people-answer.tsx'
import { TextAnswer } from './text-answer.tsx'

/** A profile field with an input for its type. */
export function AnswerField(props: AnswerProps): ReactNode {
  switch (props.field.type) {
    case FieldKind.choice:
      return <ChoiceAnswer {...props} />
    case FieldKind.people:
      return <PeopleAnswer {...props} />
    default:
      return <TextAnswer {...props} />
  }
}

/** A profile field that only administrators can edit. */
export function FixedAnswer({ field, value: answer }: Pick<AnswerProps, 'field' | 'value'>): ReactNode {
  return (
    <dl className="field fixed-answer">
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
