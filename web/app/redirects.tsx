import { useNavigate, useRouter, useRouterState } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { shortcutList } from '../browser/overlays.ts'
import { hashLocation, looksLikeAddress } from '../navigation/hash-links.ts'
import { useOrganizationPart, useOwnId } from '../store/organization.ts'
import { t } from '../text/t.ts'
import { showToast } from '../ui/toasts.ts'

const PATHS = { inbox: '/inbox', recent_topics: '/recent', all_messages: '/combined' } as const

/** Returns the path of the user's home view. `view` is the value of the setting `web_home_view` of the API. */
export const homePath = (view: string): (typeof PATHS)[keyof typeof PATHS] =>
  PATHS[view as keyof typeof PATHS] ?? PATHS.inbox

/** Redirects to the user's home view. */
export function Home(): null {
  const view = useOrganizationPart(({ user_settings }) => user_settings.web_home_view)
  const router = useRouter()
  const navigate = useNavigate()
  useEffect(() => {
    const { search, hash } = router.state.location
    void navigate({ to: homePath(view), search, hash, replace: true })
  }, [router, navigate, view])
  return null
}

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
