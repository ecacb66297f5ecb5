import { useNavigate, useRouterState } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { useOwnId } from '../store/organization.ts'
import { shortcutList } from '../store/page/shortcut-list.ts'
import { t } from '../text/t.ts'
import { showToast } from '../ui/feedback/toasts.ts'
import { hashLocation, looksLikeAddress } from '../views/hash-links/hash-location.ts'

/**
 * Redirects from a URL fragment in the format of other Zulip clients to the page that it names. Shows an error if it
 * looks like the address of a page but names none.
 */
export function HashLinks(): ReactNode {
  const hash = useRouterState({ select: ({ location }) => location.hash })
  const isHome = useRouterState({ select: ({ location }) => location.pathname === '/' })
  const ownId = useOwnId()
  const navigate = useNavigate()
  useEffect(() => {
    // The path `/` first redirects to another page. The fragment stays in the URL.
    if (isHome) return
    const found = hashLocation(hash, ownId)
    if (found !== null) return void navigate({ to: found.to, search: found.search, replace: true })
    const isShortcuts = hash === 'keyboard-shortcuts'
    if (isShortcuts) shortcutList.set(true)
    else if (looksLikeAddress(hash))
      showToast(t('This link doesn’t lead to a page. Check that it’s complete.'), { kind: 'error' })
    else return
    void navigate({ to: '.', search: true, hash: '', replace: true })
  }, [hash, isHome, ownId, navigate])
  return null
}
