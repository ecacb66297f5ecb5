import { Fragment, type ReactNode } from 'react'
import { type Person, type ProfileField, useOrganization } from '../../store/organization.ts'
import { ProfileValue } from '../profile-fields/profile-value.tsx'
import { type Said, shownValue } from '../profile-fields/shown-value.ts'

/** What somebody says of themselves of what stands on the short card. */
export function SummaryFacts({ person }: { person: Person }): ReactNode {
  return useAnswers(person, (field) => field.display_in_profile_summary === true).map(toFact)
}

/** All else that somebody says of themselves, for whoever asks for it. */
export function FurtherFacts({ person }: { person: Person }): ReactNode {
  const answers = useAnswers(person, (field) => field.display_in_profile_summary !== true)
  if (answers.length === 0) return null
  return (
    <details className="person-further">
      <summary>The whole profile</summary>
      <dl className="person-facts">{answers.map(toFact)}</dl>
    </details>
  )
}

type FieldAnswer = { field: ProfileField; said: Said }

function useAnswers({ profile_data }: Person, isWanted: (field: ProfileField) => boolean): FieldAnswer[] {
  const { custom_profile_fields, realm_default_external_accounts } = useOrganization()
  return custom_profile_fields.filter(isWanted).flatMap((field) => {
    const said = profile_data?.[field.id]
    const hasAnswer = said !== undefined && shownValue(field, said, realm_default_external_accounts) !== null
    return hasAnswer ? [{ field, said }] : []
  })
}

const toFact = ({ field, said }: FieldAnswer) => (
  <Fragment key={field.id}>
    <dt>{field.name}</dt>
    <dd>
      <ProfileValue field={field} said={said} />
    </dd>
  </Fragment>
)
