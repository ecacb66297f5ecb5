import { type ReactNode, useMemo } from 'react'
import type { Message } from '../../../store/messages/message.ts'
import { readWidget } from '../../../store/messages/widgets/read-widget.ts'
import { useOrganization } from '../../../store/organization.ts'
import { ChoiceWidget } from './choice-widget.tsx'
import { PollWidget } from './poll-widget.tsx'
import { TodoWidget } from './todo-widget.tsx'
import './widget.css'

/** Shows the widget of a message, such as a poll. For messages without a widget, shows `children`, the text. */
export function MessageWidget({ message, children }: { message: Message; children: ReactNode }): ReactNode {
  return message.submessages.length === 0 ? children : <Widget message={message}>{children}</Widget>
}

function Widget({ message, children }: { message: Message; children: ReactNode }): ReactNode {
  const { user_id } = useOrganization()
  const widget = useMemo(() => readWidget(message, user_id), [message, user_id])
  const shared = { messageId: message.id, isAuthor: message.sender_id === user_id }
  switch (widget?.kind) {
    case 'poll':
      return <PollWidget poll={widget} {...shared} />
    case 'todo':
      return <TodoWidget list={widget} {...shared} />
    case 'choices':
      return (
        <>
          {children}
          <ChoiceWidget form={widget} message={message} />
        </>
      )
    case undefined:
      return children
  }
}
