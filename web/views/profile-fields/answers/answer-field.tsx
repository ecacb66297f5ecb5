import type { ReactNode } from 'react'
import { KIND } from '../field.ts'
import { ProfileValue } from '../profile-value.tsx'
import { type AnswerProps, asSentence } from './answer.ts'
import { ChoiceAnswer } from './choice-answer.tsx'
import './fixed-answer.css'
import { PeopleAnswer } from './people-answer.tsx'
import { TextAnswer } from './text-answer.tsx'

/** A field of somebody's profile, with an input that fits its kind. */
export function AnswerField(props: AnswerProps): ReactNode {
  switch (props.field.type) {
    case KIND.choice:
      return <ChoiceAnswer {...props} />
    case KIND.people:
      return <PeopleAnswer {...props} />
    default:
      return <TextAnswer {...props} />
  }
}

/** A field that only administrators fill in. */
export function FixedAnswer({ field, said }: Pick<AnswerProps, 'field' | 'said'>): ReactNode {
  return (
    <dl className="field fixed-answer">
      <dt className="field-label">{field.name}</dt>
      <dd>
        {said === undefined ? <span className="soft">Nothing yet</span> : <ProfileValue field={field} said={said} />}
      </dd>
      <dd className="field-description">{asSentence(field.hint)} Administrators decided that only they change it.</dd>
    </dl>
  )
}
