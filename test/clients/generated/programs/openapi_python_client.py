"""Runs the four operations with the client that openapi-python-client generates."""

import json
import os

from client import AuthenticatedClient
from client.api.invitations import post_invites
from client.api.messages import get_messages_by_message_id
from client.api.presence import post_users_me_presence
from client.api.subscriptions import delete_users_me_subscriptions
from client.models import (
    DeleteUsersMeSubscriptionsBody,
    PostInvitesBody,
    PostUsersMePresenceBody,
    PostUsersMePresenceBodyStatus,
)

kind, _, credentials = os.environ["PARLEY_AUTHORIZATION"].partition(" ")
api = AuthenticatedClient(base_url=os.environ["PARLEY_URL"] + "/api/v1", token=credentials, prefix=kind)
message, channel = int(os.environ["PARLEY_MESSAGE"]), int(os.environ["PARLEY_CHANNEL"])

report = PostUsersMePresenceBody(status=PostUsersMePresenceBodyStatus.ACTIVE, ping_only=True)
presence = post_users_me_presence.sync(client=api, body=report)
fetched = get_messages_by_message_id.sync(message, client=api, apply_markdown=False)
invitation = PostInvitesBody(invitee_emails=os.environ["PARLEY_ADDRESS"], stream_ids=[channel])
invited = post_invites.sync(client=api, body=invitation)
left = delete_users_me_subscriptions.sync(client=api, body=DeleteUsersMeSubscriptionsBody(subscriptions=["pub"]))

print(
    json.dumps(
        {
            "presence": presence.result,
            "content": fetched.message.content,
            "invited": invited.result,
            "removed": left.removed,
        }
    )
)
