import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Header } from 'react-aria-components/Header'
import { MenuItem, MenuSection, Separator } from 'react-aria-components/Menu'
import { Text } from 'react-aria-components/Text'
import { Theme } from '../browser/appearance.ts'
import { useMayInvite } from '../invitations/invitation-draft.ts'
import { useOrganization } from '../store/organization.ts'
import { useOwnSettings } from '../store/own-settings.ts'
import { type CommandKey, currentKey, keyLabel, useShortcutSettings } from '../store/shortcuts.ts'
import { t } from '../text/t.ts'
import { ShortcutKey } from '../ui/menu.tsx'
import { type NavItem, organizationItems } from './menus/nav-items.ts'

export const THEMES = [
  { id: Theme.system, label: t('Match system') },
  { id: Theme.light, label: t('Light') },
  { id: Theme.dark, label: t('Dark') },
]

/** Menu items that lead to pages. */
export function PageItems({ pages }: { pages: readonly NavItem[] }): ReactNode {
  const navigate = useNavigate()
  return pages.map(({ to, label }) => (
    <MenuItem key={to} className="menu-item" onAction={() => void navigate({ to })}>
      {label}
    </MenuItem>
  ))
}

/**
 * Returns the pages of the organization that the user may see. `invites` is the first choice of the invite dialog; null
 * if the user may not invite anyone. `byLink` is true if the user may create invitation links.
 */
export function useOrganizationPages(): {
  invites: 'email' | 'link' | null
  byLink: boolean
  pages: readonly NavItem[]
} {
  const { is_admin: isAdmin, is_guest: isGuest } = useOrganization('is_admin', 'is_guest')
  const { byEmail, byLink } = useMayInvite()
  return {
    invites: byEmail ? 'email' : byLink ? 'link' : null,
    byLink,
    pages: organizationItems({ canInvite: byEmail || byLink, isAdmin, isGuest }),
  }
}

/** The menu section in which the user chooses the theme. */
export function ThemeSection(): ReactNode {
  const [{ color_scheme: scheme, high_contrast_mode: isHigh }, change] = useOwnSettings()
  return (
    <>
      <MenuSection
        selectionMode="single"
        disallowEmptySelection
        selectedKeys={[scheme]}
        onSelectionChange={(keys) => change({ color_scheme: Number([...keys][0]) })}
      >
        <Header className="menu-heading">{t('Theme')}</Header>
        {THEMES.map(({ id, label }) => (
          <MenuItem key={id} id={id} className="menu-item">
            {label}
          </MenuItem>
        ))}
      </MenuSection>
      <MenuItem className="menu-item" onAction={() => change({ high_contrast_mode: !isHigh })}>
        {isHigh ? t('Turn off high contrast') : t('Turn on high contrast')}
      </MenuItem>
    </>
  )
}

/** A menu item that shows the keyboard shortcut for its action. `command` is the default key of the shortcut. */
export function ShortcutItem(props: { label: string; command: CommandKey; onAction: () => void }): ReactNode {
  const { label, command, onAction } = props
  const choice = useShortcutSettings()
  return (
    <MenuItem className="menu-item" textValue={label} onAction={onAction}>
      <Text slot="label">{label}</Text>
      {choice.areOn && <ShortcutKey name={keyLabel(currentKey(choice, command))} />}
    </MenuItem>
  )
}

/** A line between groups of menu items. */
export const MenuLine = (): ReactNode => <Separator className="menu-separator" />
