import EyeOff from 'lucide-react/icons/eye-off'
import Users from 'lucide-react/icons/users'
import { type ReactNode, useDeferredValue, useMemo, useRef, useState } from 'react'
import { useRequestedFilter } from '../browser/overlays.ts'
import { PageFrame, TO_YOU } from '../navigation/page.tsx'
import { Everyone } from '../picking/everyone.tsx'
import { EndTime } from '../scheduling/end-time.tsx'
import { useOrganization } from '../store/organization.ts'
import { ROLES } from '../store/people.ts'
import { rich } from '../text/rich.ts'
import { t } from '../text/t.ts'
import { TextField } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { SelectField } from '../ui/select-field.tsx'
import { type AccountKind, type DirectoryOrder, EVERYONE, isFound, listPeople } from './directory.ts'
import * as css from './people.module.css'
import { PeopleList, usePersonRows } from './people-list.tsx'

const KINDS: readonly { id: AccountKind; label: string }[] = [
  { id: 'people', label: t('People') },
  { id: 'bots', label: t('Bots') },
  { id: 'deactivated', label: t('Deactivated accounts') },
]

const ORDERS: readonly { id: DirectoryOrder; label: string }[] = [
  { id: 'presence', label: t('Availability') },
  { id: 'name', label: t('Name') },
  { id: 'role', label: t('Role') },
  { id: 'newest', label: t('Newest') },
]

const ANY_ROLE = { id: 'any' as const, label: t('Any role') }

/** The directory of all visible users. */
export function People(): ReactNode {
  const { realm_name } = useOrganization('realm_name')
  return (
    <PageFrame
      title={t('People')}
      within={realm_name}
      icon={<Users className="icon" aria-hidden="true" />}
      about={t('Everyone in the organization.')}
      back={TO_YOU}
    >
      <div className={css.peoplePage}>
        <PresenceNotice />
        <section className={css.peopleWhole} aria-label={t('People')}>
          <EveryonesDirectory />
        </section>
      </div>
    </PageFrame>
  )
}

function PresenceNotice(): ReactNode {
  const { realm_presence_disabled, user_settings } = useOrganization('realm_presence_disabled', 'user_settings')
  if (realm_presence_disabled)
    return (
      <Notice title={t('Availability is turned off')}>
        <p>{t('Your organization hides everyone’s availability.')}</p>
      </Notice>
    )
  const { presence_enabled, presence_hidden_until: until } = user_settings
  if (presence_enabled !== false) return null
  return (
    <p className="row soft small">
      <EyeOff className="icon" aria-hidden="true" />
      <span>
        {until > 0
          ? rich('Your availability is hidden until {time}. You appear offline.', { time: <EndTime at={until} /> })
          : t('Your availability is hidden. You appear offline.')}
      </span>
    </p>
  )
}

function EveryonesDirectory(): ReactNode {
  return (
    <Everyone>
      <Directory />
    </Everyone>
  )
}

function Directory(): ReactNode {
  const { realm_users, realm_non_active_users } = useOrganization('realm_users', 'realm_non_active_users')
  const [filter, setFilter] = useState(EVERYONE)
  const change = (part: Partial<typeof filter>) => setFilter({ ...filter, ...part })
  const { kind, role, order } = filter
  const search = useRef<HTMLElement>(null)
  useRequestedFilter('people', search)
  const [isHeld, hold] = useState(false)
  const people = useMemo(
    () => listPeople({ active: realm_users, deactivated: realm_non_active_users }, { kind, role, order }),
    [realm_users, realm_non_active_users, kind, role, order],
  )
  const rows = usePersonRows(people, { isHeld, isOrdered: kind !== 'people' || order !== 'presence' })
  const text = useDeferredValue(filter.text)
  const found = useMemo(() => rows.filter(({ person }) => isFound(person, text)), [rows, text])
  const title = KINDS.find(({ id }) => id === kind)!.label
  return (
    <div className={css.directory}>
      <search ref={search} className={css.directoryTools} aria-label={t('People')}>
        <TextField
          label={t('Filter people')}
          type="search"
          placeholder={t('Name or email')}
          value={filter.text}
          onChange={(text) => change({ text })}
        />
        <SelectField label={t('Show')} value={kind} onChange={(kind) => change({ kind })} options={KINDS} />
        <SelectField
          label={t('Role')}
          value={role}
          onChange={(role) => change({ role })}
          options={[ANY_ROLE, ...ROLES.map(({ id, label }) => ({ id, label }))]}
        />
        <SelectField label={t('Sort by')} value={order} onChange={(order) => change({ order })} options={ORDERS} />
      </search>
      <p className="visually-hidden" role="status">
        {text !== '' &&
          t('{count, number} of {total, plural, one {# person} other {# people}}', {
            count: found.length,
            total: rows.length,
          })}
      </p>
      <PeopleList
        key={`${kind} ${order}`}
        sections={found.length === 0 ? [] : [{ id: kind, title, rows: found }]}
        hasDetails
        onHold={hold}
      />
    </div>
  )
}
