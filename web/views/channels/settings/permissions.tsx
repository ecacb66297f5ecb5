import type { ReactNode } from 'react'
import type { ChannelSettingName } from '../../../../server/channels/channel.ts'
import { useOrganization } from '../../../store/organization.ts'
import { Notice } from '../../../ui/feedback/notice.tsx'
import { describeSetting } from '../../picking/setting-values.ts'
import type { Known } from '../listing.ts'
import { mayAdminister, mayMakeDefault, mayOpen } from '../rights.ts'
import { DefaultChoice } from './default-choice.tsx'
import { PermissionField } from './permission-field.tsx'
import { OPENING, PERMISSIONS } from './permission-words.ts'
import { PrivacyChoice } from './privacy-choice.tsx'

const NAMES = Object.keys(PERMISSIONS) as ChannelSettingName[]

/** Who may find a channel, and who may do what in it. */
export function Permissions({ known: { channel, subscription } }: { known: Known }): ReactNode {
  const organization = useOrganization()
  const mayChange = mayAdminister(organization, channel)
  const opens = mayOpen(organization, channel, subscription !== null)
  return (
    <div className="stack">
      {!mayChange && (
        <Notice kind="info">
          <p>
            Only those who may change the channel change this. Who they are stands at the end, beside administrators.
          </p>
        </Notice>
      )}
      {mayChange && !opens && (
        <Notice kind="info">
          <p>It is private and you are not in it, so who comes to read it is not yours to change.</p>
        </Notice>
      )}
      <PrivacyChoice channel={channel} mayChange={opens} />
      {mayMakeDefault(organization, channel) && <DefaultChoice channel={channel} />}
      <section className="card settings-card" aria-label="Who can do what">
        {NAMES.map((name) =>
          mayChange && (opens || !OPENING.has(name)) ? (
            <PermissionField key={name} channel={channel} name={name} />
          ) : (
            <dl key={name} className="channel-facts">
              <div>
                <dt>{PERMISSIONS[name].label}</dt>
                <dd>{describeSetting(organization, channel[name])}</dd>
              </div>
            </dl>
          ),
        )}
      </section>
    </div>
  )
}
