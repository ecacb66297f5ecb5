import { useNavigate } from '@tanstack/react-router'
import CircleUser from 'lucide-react/icons/circle-user'
import { type ReactNode, useState } from 'react'
import { Button } from 'react-aria-components/Button'
import { Header } from 'react-aria-components/Header'
import { Menu, MenuItem, MenuSection, MenuTrigger } from 'react-aria-components/Menu'
import { Popover } from 'react-aria-components/Popover'
import { Separator } from 'react-aria-components/Separator'
import { endSession } from '../../api/session.ts'
import { toAppError } from '../../store/app-error.ts'
import { removeTextsAfter } from '../../store/browser/personal-data.ts'
import { Theme, useTheme } from '../../store/browser/theme.ts'
import { useOrganization } from '../../store/organization.ts'
import { Button as ActionButton } from '../../ui/buttons/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog/dialog.tsx'
import { Avatar } from '../../ui/people/avatar.tsx'
import '../../ui/layout/popover.css'
import { t } from '../../text/t.ts'
import { flushToasts, showToast } from '../../ui/feedback/toasts.ts'
import { countDrafts } from '../../views/composer/drafts.ts'
import type { NavItem } from './nav-items.ts'

/** Pages that are also for users who are not administrators. */
const FOR_ALL = [
  { section: 'groups', label: t('Groups') },
  { section: 'emoji', label: t('Custom emoji') },
]

const THEMES = [
  { id: Theme.system, label: t('Match system') },
  { id: Theme.light, label: t('Light') },
  { id: Theme.dark, label: t('Dark') },
]

/** Logs out after all undoable actions have run, and removes the user's texts from this browser. */
async function logOut(userId: number): Promise<void> {
  await flushToasts()
  try {
    await removeTextsAfter(userId, endSession)
  } catch (error) {
    return showToast(toAppError(error).message, { kind: 'error' })
  }
  location.assign('/login/')
}

/**
 * The menu with settings, themes and logging out, and with pages that have no link elsewhere. Its button is the user's
 * avatar, or a link of the bottom bar.
 */
export function AccountMenu({
  isPlace = false,
  places = [],
}: {
  isPlace?: boolean
  places?: readonly NavItem[]
}): ReactNode {
  const { user_id, full_name, avatar_url_medium, is_admin, is_guest } = useOrganization()
  const [scheme, setScheme] = useTheme()
  const navigate = useNavigate()
  const [isConfirming, confirm] = useState(false)
  const toSettings = (section: string) => void navigate({ to: '/settings/$section', params: { section } })

  return (
    <>
      <MenuTrigger>
        {isPlace ? (
          <Button className="top-bar-place" aria-label={t('You, {name}: account menu', { name: full_name })}>
            <CircleUser className="icon" aria-hidden="true" />
            {t('You')}
          </Button>
        ) : (
          <Button className="account-button" aria-label={t('{name}: account menu', { name: full_name })}>
            <Avatar name={full_name} url={avatar_url_medium} />
          </Button>
        )}
        <Popover className="popover" placement={isPlace ? 'top end' : 'bottom end'}>
          <Menu className="menu">
            <MenuItem className="menu-item" onAction={() => toSettings('profile')}>
              {t('Your profile')}
            </MenuItem>
            <MenuItem className="menu-item" onAction={() => toSettings('availability')}>
              {t('Availability')}
            </MenuItem>
            {places.map(({ to, label }) => (
              <MenuItem key={to} className="menu-item" onAction={() => void navigate({ to })}>
                {label}
              </MenuItem>
            ))}
            {is_admin && (
              <MenuItem
                className="menu-item"
                onAction={() => void navigate({ to: '/organization/$section', params: { section: 'people' } })}
              >
                {t('Organization')}
              </MenuItem>
            )}
            {!is_admin &&
              !is_guest &&
              FOR_ALL.map(({ section, label }) => (
                <MenuItem
                  key={section}
                  className="menu-item"
                  onAction={() => void navigate({ to: '/organization/$section', params: { section } })}
                >
                  {label}
                </MenuItem>
              ))}
            <Separator className="menu-separator" />
            <MenuSection
              selectionMode="single"
              disallowEmptySelection
              selectedKeys={[scheme]}
              onSelectionChange={(keys) => setScheme(Number([...keys][0]))}
            >
              <Header className="menu-heading">{t('Theme')}</Header>
              {THEMES.map(({ id, label }) => (
                <MenuItem key={id} id={id} className="menu-item">
                  {label}
                </MenuItem>
              ))}
            </MenuSection>
            <Separator className="menu-separator" />
            <MenuItem
              className="menu-item"
              onAction={() => (countDrafts(user_id) > 0 ? confirm(true) : void logOut(user_id))}
            >
              {t('Log out')}
            </MenuItem>
          </Menu>
        </Popover>
      </MenuTrigger>
      {isConfirming && <LogOutDialog userId={user_id} onClose={() => confirm(false)} />}
    </>
  )
}

function LogOutDialog({ userId, onClose }: { userId: number; onClose: () => void }): ReactNode {
  const [count] = useState(() => countDrafts(userId))
  return (
    <Dialog title={t('Log out?')} role="alertdialog" isOpen onClose={onClose}>
      <div className="dialog-body">
        <p>
          {t(
            '{count, plural, one {You have a draft, saved in this browser only. Logging out deletes it.} other {You have # drafts, saved in this browser only. Logging out deletes them.}}',
            { count },
          )}
        </p>
      </div>
      <DialogActions>
        <ActionButton onPress={onClose}>{t('Cancel')}</ActionButton>
        <ActionButton kind="danger" onPress={() => void logOut(userId)}>
          {t('Log out')}
        </ActionButton>
      </DialogActions>
    </Dialog>
  )
}
