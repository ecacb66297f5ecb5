import { Fragment, type ReactNode } from 'react'
import { type ProfileField, useOrganization } from '../../store/organization.ts'
import { MessageContent } from '../../ui/message-html/message-content.tsx'
import { PersonLink } from '../people/person-link.tsx'
import { displayedValue, type ProfileAnswer } from './displayed-value.ts'

/** The value of a profile field, with formatted dates, names of users, and links. */
export function ProfileValue({ field, answer: value }: { field: ProfileField; answer: ProfileAnswer }): ReactNode {
  const { realm_default_external_accounts } = useOrganization()
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
