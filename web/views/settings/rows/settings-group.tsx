import { type ReactNode, useId } from 'react'

/** Settings under a heading. */
export function SettingsGroup({ title, children }: { title: string; children: ReactNode }): ReactNode {
  const id = useId()
  return (
    <section className="settings-group" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  )
}

/** The last group of a page. It explains the consequence of deactivating or archiving something, and has the button. */
export function SettingsEnd(props: {
  /** The name by which links find the group. */
  id?: string
  title: string
  about: string
  children: ReactNode
}): ReactNode {
  const { id, title, about, children } = props
  return (
    <SettingsGroup title={title}>
      <div className="settings-end" data-setting={id}>
        <p className="soft">{about}</p>
        {children}
      </div>
    </SettingsGroup>
  )
}
