import { Link, useParams } from '@tanstack/react-router'
import CircleUser from 'lucide-react/icons/circle-user'
import EyeOff from 'lucide-react/icons/eye-off'
import MessageSquare from 'lucide-react/icons/message-square'
import Pencil from 'lucide-react/icons/pencil'
import Smile from 'lucide-react/icons/smile'
import { type ReactNode, useState } from 'react'
import { EmptyPage, PageFrame } from '../navigation/page.tsx'
import { PersonFacts, PersonHead } from '../people/person-facts.tsx'
import { PersonLink } from '../people/profile-value.tsx'
import { type Managing, usePersonActions } from '../people/use-person-actions.ts'
import { type Person, useOrganization, useOwnId, usePerson } from '../store/organization.ts'
import { useIsUnfetched } from '../store/people-on-demand.ts'
import { t } from '../text/t.ts'
import { Button } from '../ui/button.tsx'
import { lazyPart } from '../ui/lazy-part.tsx'
import { Loading } from '../ui/page-states.tsx'
import { RowMenu } from '../ui/row-menu.tsx'
import { PersonChannels, PersonGroups } from './person-memberships.tsx'
import * as css from './person-page.module.css'

const StatusDialog = lazyPart(async () => (await import('../people/status-dialog.tsx')).StatusDialog)
const ManageDialog = lazyPart(async () => (await import('../people/manage-dialog.tsx')).ManageDialog)

/** The profile of the user in the URL. */
export function PersonPage(): ReactNode {
  const { userId } = useParams({ from: '/people/$userId' })
  const person = usePerson(Number(userId))
  const isUnfetched = useIsUnfetched(Number(userId))
  if (isUnfetched) return <Loading label={t('Loading people')} lines={6} />
  if (person === undefined)
    return (
      <EmptyPage icon={<EyeOff />} title={t('User not found')}>
        <p>{t('This user doesn’t exist or is hidden from you.')}</p>
        <Link to="/people" className="button">
          {t('Show all people')}
        </Link>
      </EmptyPage>
    )
  return <Profile key={person.user_id} person={person} />
}

function Profile({ person }: { person: Person }): ReactNode {
  const { realm_name } = useOrganization('realm_name')
  return (
    <PageFrame
      title={person.full_name}
      shownTitle={t('Profile')}
      within={realm_name}
      icon={<CircleUser className="icon" aria-hidden="true" />}
      about={person.full_name}
      hasHeadingBelow
      back={{ to: '/people', label: t('Back to {page}', { page: t('People') }) }}
    >
      <div className={css.personPage}>
        <PersonHead person={person} level={1} />
        <Actions person={person} />
        <section className={css.personSection} aria-labelledby="person-about">
          <h2 id="person-about">{t('About')}</h2>
          <PersonFacts person={person} />
        </section>
        {!person.is_bot && <PersonGroups person={person} />}
        <PersonChannels person={person} />
        {!person.is_bot && <OwnedBots person={person} />}
      </div>
    </PageFrame>
  )
}

function Actions({ person }: { person: Person }): ReactNode {
  const isOwn = person.user_id === useOwnId()
  const [opened, open] = useState<'status' | Managing | null>(null)
  const actions = usePersonActions(person, { onManage: open })
  return (
    <div className="row">
      {person.is_active && (
        <Link to="/dm/$people" params={{ people: String(person.user_id) }} className="button button-primary">
          <MessageSquare className="icon" aria-hidden="true" />
          {isOwn ? t('Message yourself') : t('Message')}
        </Link>
      )}
      {isOwn && (
        <>
          <Button icon={<Smile className="icon" aria-hidden="true" />} onPress={() => open('status')}>
            {t('Set status')}
          </Button>
          <Link to="/settings/$section" params={{ section: 'profile' }} className="button">
            <Pencil className="icon" aria-hidden="true" />
            {t('Edit profile')}
          </Link>
        </>
      )}
      <RowMenu label={t('More actions for {name}', { name: person.full_name })} items={actions} />
      {opened === 'status' && <StatusDialog onClose={() => open(null)} />}
      {opened !== null && opened !== 'status' && (
        <ManageDialog person={person} act={opened} onClose={() => open(null)} />
      )}
    </div>
  )
}

function OwnedBots({ person }: { person: Person }): ReactNode {
  const { realm_users } = useOrganization('realm_users')
  const bots = realm_users.filter(({ bot_owner_id }) => bot_owner_id === person.user_id)
  if (bots.length === 0) return null
  return (
    <section className={css.personSection} aria-labelledby="person-bots">
      <h2 id="person-bots">{t('Bots')}</h2>
      <ul className={css.personList}>
        {bots.map(({ user_id }) => (
          <li key={user_id}>
            <PersonLink userId={user_id} />
          </li>
        ))}
      </ul>
    </section>
  )
}
