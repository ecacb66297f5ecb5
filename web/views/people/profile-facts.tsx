import { Fragment, type ReactNode } from 'react'
import { type Person, type ProfileField, useOrganization } from '../../store/organization.ts'
import { displayedValue, type ProfileAnswer } from '../profile-fields/displayed-value.ts'
import { ProfileValue } from '../profile-fields/profile-value.tsx'

/** The profile fields of the summary. */
export function SummaryFacts({ person }: { person: Person }): ReactNode {
  return useAnswers(person, (field) => field.display_in_profile_summary === true).map(toFact)
}

/** All other profile fields. */
export function FurtherFacts({ person }: { person: Person }): ReactNode {
  return useAnswers(person, (field) => field.display_in_profile_summary !== true).map(toFact)
}

export type FieldAnswer = { field: ProfileField; answer: ProfileAnswer }

/** Returns the user's answers to the profile fields that are wanted. */
export function useAnswers({ profile_data }: Person, isWanted: (field: ProfileField) => boolean): FieldAnswer[] {
  const { custom_profile_fields, realm_default_external_accounts } = useOrganization()
  return custom_profile_fields.filter(isWanted).flatMap((field) => {
    const value = profile_data?.[field.id]
    const hasAnswer = value !== undefined && displayedValue(field, value, realm_default_external_accounts) !== null
    return hasAnswer ? [{ field, answer: value }] : []
  })
}

const toFact = ({ field, answer }: FieldAnswer) => (
  <Fragment key={field.id}>
    <dt>{field.name}</dt>
    <dd>
      <ProfileValue field={field} answer={answer} />
    </dd>
  </Fragment>
)
