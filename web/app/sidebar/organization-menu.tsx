import ChevronDown from 'lucide-react/icons/chevron-down'
import type { ReactNode } from 'react'
import { Button } from 'react-aria-components/Button'
import { Theme } from '../../store/browser/theme.ts'
import { useOrganizationPart } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import { useMedia } from '../../ui/layout/use-media.ts'
import { lazyPart } from '../../ui/lazy-part.tsx'
import { MenuButton } from '../../ui/menu/menu-button.tsx'

const OrganizationItems = lazyPart(async () => (await import('./organization-items.tsx')).OrganizationItems)

/** A button with the organization's name, which opens the menu of its pages. */
export function OrganizationMenu(): ReactNode {
  const name = useOrganizationPart(({ realm_name }) => realm_name)
  return (
    <MenuButton
      placement="bottom start"
      load={OrganizationItems.load}
      button={(props) => (
        <Button {...props} className="organization-button">
          <span className="visually-hidden">{t('{name}: organization menu', { name })}</span>
          <OrganizationMark name={name} />
          <ChevronDown className="icon" aria-hidden="true" />
        </Button>
      )}
    >
      {(menu) => <OrganizationItems {...menu} />}
    </MenuButton>
  )
}

/** The organization's logo for the theme. Without a logo, shows its name after its icon or initial. */
function OrganizationMark({ name }: { name: string }): ReactNode {
  const icon = useOrganizationPart((own) => (own.realm_icon_source === 'U' ? own.realm_icon_url : null))
  const logo = useOrganizationPart((own) => (own.realm_logo_source === 'U' ? own.realm_logo_url : null))
  const night = useOrganizationPart((own) => (own.realm_night_logo_source === 'U' ? own.realm_night_logo_url : logo))
  const scheme = useOrganizationPart(({ user_settings }) => user_settings.color_scheme)
  const isSystemDark = useMedia('(prefers-color-scheme: dark)')
  const url = scheme === Theme.dark || (scheme === Theme.system && isSystemDark) ? night : logo
  if (url !== null) return <img className="organization-logo" src={url} alt="" />
  return (
    <>
      <span className="organization-mark" aria-hidden="true">
        {icon === null ? [...name][0]?.toUpperCase() : <img src={icon} alt="" />}
      </span>
      <span className="organization-name" aria-hidden="true">
        {name}
      </span>
    </>
  )
}
