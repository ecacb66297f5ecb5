import { Link, Navigate, useParams } from '@tanstack/react-router'
import Lock from 'lucide-react/icons/lock'
import Users from 'lucide-react/icons/users'
import type { ComponentType, ReactNode, SVGProps } from 'react'
import { useOrganization } from '../../store/organization.ts'
import { Empty } from '../../ui/empty.tsx'
import { PageHead } from '../../ui/page.tsx'
import '../../ui/pane-link.css'
import '../settings/settings.css'
import { Accounts } from './accounts-page.tsx'
import './organization.css'

type Section = {
  id: string
  label: string
  about: string
  icon: ComponentType<SVGProps<SVGSVGElement>>
  content: ComponentType
}

const SECTIONS: readonly Section[] = [
  {
    id: 'people',
    label: 'People and bots',
    about: 'Who has an account, which role they have, and whose account was ended.',
    icon: Users,
    content: Accounts,
  },
]

/** What administrators look after, a section at a time. */
export function Administration(): ReactNode {
  const { section: id } = useParams({ from: '/organization/$section' })
  const { realm_name, is_admin } = useOrganization()
  if (!is_admin)
    return (
      <Empty icon={<Lock />} title="This is for administrators" isPage>
        <p>Ask an administrator of {realm_name} to change what you have in mind.</p>
      </Empty>
    )
  const section = SECTIONS.find((one) => one.id === id)
  if (section === undefined) return <Navigate to="/organization/$section" params={{ section: 'people' }} replace />
  const Content = section.content
  return (
    <div className="settings">
      <nav className="settings-sections" aria-label="Organization" data-pane>
        {SECTIONS.map(({ id, label, icon: Icon }) => (
          <Link key={id} to="/organization/$section" params={{ section: id }} className="pane-link">
            <Icon className="icon" aria-hidden="true" />
            {label}
          </Link>
        ))}
      </nav>
      <div className={section.id === 'people' ? 'organization-wide' : 'settings-content'}>
        <PageHead title={section.label} within={realm_name}>
          <p>{section.about}</p>
        </PageHead>
        <Content />
      </div>
    </div>
  )
}
