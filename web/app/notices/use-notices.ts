import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { noticePermission } from '../../store/browser/notice-permission.ts'
import { renewPush } from '../../store/browser/push.ts'
import { hearMessages } from '../../store/messages/heard.ts'
import type { Message } from '../../store/messages/message.ts'
import { spotOf } from '../../store/messages/narrow.ts'
import { knownOrganization, useOrganization } from '../../store/organization.ts'
import { toLocation } from '../../views/chat/to-location.ts'
import { isAlone } from './is-alone.ts'
import { followNotices, showNotice } from './show-notice.ts'
import { playSound } from './sound.ts'
import { isWanted } from './wanted.ts'
import { wordsOf } from './words.ts'

/** Tells of messages while the window is not looked at, as one has chosen: on the screen, by a sound, or both. */
export function useNotices(): void {
  const router = useRouter()
  const { user_id: ownId } = useOrganization()
  // What fails is tried again as the next page opens.
  useEffect(() => void renewPush(ownId).catch(() => {}), [ownId])
  useEffect(() => {
    const open = (path: string) => {
      window.focus()
      router.history.push(path)
    }
    const pathOf = (message: Message, ownId: number) =>
      router.buildLocation(toLocation(spotOf(message, ownId), message.id)).href
    const unhear = hearMessages((message) => void tell(message, pathOf, open))
    const stopFollowing = followNotices(open)
    return () => {
      unhear()
      stopFollowing()
    }
  }, [router])
}

type PathOf = (message: Message, ownId: number) => string
type Open = (path: string) => void

async function tell(message: Message, pathOf: PathOf, open: Open): Promise<void> {
  if (!(await isAlone(message.id))) return
  const organization = knownOrganization()
  if (organization === undefined) return
  const { user_settings, user_id: ownId } = organization
  if (isWanted('audible', message, organization) && user_settings.notification_sound !== 'none')
    // A browser without sound still shows the notice.
    playSound().catch(() => {})
  if (!isWanted('desktop', message, organization) || noticePermission() !== 'granted') return
  const hidesDirect = !user_settings.pm_content_in_desktop_notifications
  const { title, body } = wordsOf(message, { ownId, hidesDirect })
  const icon = message.avatar_url
  await showNotice({ title, body, tag: `message ${message.id}`, icon, path: pathOf(message, ownId) }, open)
}
