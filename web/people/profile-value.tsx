import { Link } from '@tanstack/react-router'
import { Fragment, type ReactNode } from 'react'
import { MessageContent } from '../message-html/message-content.tsx'
import { type ProfileField, useOrganization, usePerson } from '../store/organization.ts'
import { unknownName } from '../store/people.ts'
import { displayedValue, type ProfileAnswer } from './profile-fields.ts'

/** The name of a user as a link to their profile. */
export function PersonLink({ userId }: { userId: number }): ReactNode {
  const person = usePerson(userId)
  if (person === undefined) return unknownName()
  return (
    <Link to="/people/$userId" params={{ userId: String(userId) }}>
      {person.full_name}
    </Link>
  )
}

/** The value of a profile field, with formatted dates, names of users, and links. */
export function ProfileValue({ field, answer: value }: { field: ProfileField; answer: ProfileAnswer }): ReactNode {
  const { realm_default_external_accounts } = useOrganization('realm_default_external_accounts')
  const shown = displayedValue(field, value, realm_default_external_accounts)
  switch (shown?.as) {
    case undefined:
      return null
    case 'text':
      return <span dir="auto">{shown.text}</span>
    case 'html':
      return <MessageContent html={shown.html} />
    case 'link':
      return (
        <a href={shown.address} target="_blank" rel="noopener noreferrer" dir="auto">
          {shown.text}
        </a>
      )
    case 'people':
      return shown.ids.map((id, at) => (
        <Fragment key={id}>
          {at > 0 && ', '}
          <PersonLink userId={id} />
        </Fragment>
      ))
  }
}
