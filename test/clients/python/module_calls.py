"""Makes the calls of the `zulip` module as an administrator and prints what came of each.

Meanwhile a thread runs the event loop of the module; the events that it received are printed as well.
usage: module_calls.py ADMINISTRATORS_ZULIPRC BOBS_ZULIPRC
"""

import io
import json
import struct
import sys
import threading
import zlib

import zulip

client = zulip.Client(config_file=sys.argv[1], client="ZulipPython/module-calls")
bob = zulip.Client(config_file=sys.argv[2], client="ZulipPython/event-loop")
answers = {}
received = []
ready = threading.Event()
over = threading.Event()


def run(name, call):
    answer = call()
    answers[name] = [answer["result"], answer.get("code", answer.get("msg"))]
    return answer


def note(event):
    text = event.get("message", {}).get("content", "")
    if text == "are you there?":
        ready.set()
    elif ready.is_set() and not over.is_set():
        received.append(event["type"])
        if event["type"] == "delete_message":
            over.set()


def listen():
    types = ["message", "update_message", "delete_message", "reaction", "typing"]
    bob.call_on_each_event(note, event_types=types)


def one_green_pixel():
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0))
    pixel = chunk(b"IDAT", zlib.compress(b"\x00\x20\x90\x20"))
    return b"\x89PNG\r\n\x1a\n" + header + pixel + chunk(b"IEND", b"")


def to_bob(content):
    return client.send_message({"type": "private", "to": ["bob@example.com"], "content": content})


threading.Thread(target=listen, daemon=True).start()
for _ in range(120):
    to_bob("are you there?")
    if ready.wait(1):
        break

# What Bob hears of.
sent = run("send_message", lambda: to_bob("**hello**"))
message = {"message_id": sent["id"]}
thumbs_up = {**message, "emoji_name": "thumbs_up"}
run("add_reaction", lambda: client.add_reaction(thumbs_up))
run("remove_reaction", lambda: client.remove_reaction(thumbs_up))
run("update_message", lambda: client.update_message({**message, "content": "*hello*"}))
run("get_raw_message", lambda: client.get_raw_message(sent["id"]))
run("get_message_history", lambda: client.get_message_history(sent["id"]))
bob_id = bob.get_profile()["user_id"]
run("set_typing_status", lambda: client.set_typing_status({"op": "start", "to": [bob_id]}))
run("delete_message", lambda: client.delete_message(sent["id"]))
over.wait(120)

# Channels.
run("add_subscriptions", lambda: client.add_subscriptions([{"name": "pub"}, {"name": "garden", "description": "*Plants*"}]))
garden = run("get_stream_id", lambda: client.get_stream_id("garden"))["stream_id"]
pub = client.get_stream_id("pub")["stream_id"]
run("get_streams", lambda: client.get_streams(include_public=True))
run("update_stream", lambda: client.update_stream({"stream_id": garden, "new_name": "the garden"}))
run("add_default_stream", lambda: client.add_default_stream(pub))
run("get_subscriptions", lambda: client.get_subscriptions({"include_subscribers": "true"}))
run("list_subscriptions", lambda: client.list_subscriptions())
run("get_subscription_status", lambda: client.get_subscription_status(bob_id, pub))
run("get_subscribers", lambda: client.get_subscribers(stream="pub"))
pin = {"stream_id": pub, "property": "pin_to_top", "value": True}
run("update_subscription_settings", lambda: client.update_subscription_settings([pin]))
run("mute_topic", lambda: client.mute_topic({"stream": "pub", "topic": "hello", "op": "add"}))
run("get_stream_topics", lambda: client.get_stream_topics(pub))
run("move_topic", lambda: client.move_topic("pub", "the garden", "hello", "hello to the plants"))
run("remove_subscriptions", lambda: client.remove_subscriptions(["pub"]))
run("delete_stream", lambda: client.delete_stream(garden))

# Messages.
newest = {"anchor": "newest", "num_before": 5, "num_after": 0, "narrow": [["stream", "kitchen"]]}
found = run("get_messages", lambda: client.get_messages(newest))["messages"]
ids = [message["id"] for message in found]
has_reaction = [{"operator": "has", "operand": "reaction"}]
run("check_messages_match_narrow", lambda: client.check_messages_match_narrow(msg_ids=ids, narrow=has_reaction))
star = {"messages": ids, "op": "add", "flag": "starred"}
run("update_message_flags", lambda: client.update_message_flags(star))
kitchen = client.get_stream_id("kitchen")["stream_id"]
run("mark_topic_as_read", lambda: client.mark_topic_as_read(kitchen, "lunch"))
run("mark_stream_as_read", lambda: client.mark_stream_as_read(kitchen))
run("mark_all_as_read", lambda: client.mark_all_as_read())
run("render_message", lambda: client.render_message({"content": "**bold**"}))

# People.
run("get_profile", lambda: client.get_profile())
run("get_users", lambda: client.get_users({"client_gravatar": True}))
run("get_members", lambda: client.get_members())
run("get_user_by_id", lambda: client.get_user_by_id(bob_id, include_custom_profile_fields=True))
account = {"email": "ines@example.com", "password": "a long garden path", "full_name": "Ines Moreau"}
ines = run("create_user", lambda: client.create_user(account))["user_id"]
run("update_user_by_id", lambda: client.update_user_by_id(ines, full_name="Ines M."))
run("deactivate_user_by_id", lambda: client.deactivate_user_by_id(ines))
run("reactivate_user_by_id", lambda: client.reactivate_user_by_id(ines))
run("update_presence", lambda: client.update_presence({"status": "active", "ping_only": False, "new_user_input": True}))
run("get_user_presence", lambda: client.get_user_presence(client.email))
run("get_realm_presence", lambda: client.get_realm_presence())
run("add_alert_words", lambda: client.add_alert_words(["compost"]))
run("get_alert_words", lambda: client.get_alert_words())
run("remove_alert_words", lambda: client.remove_alert_words(["compost"]))
run("update_notification_settings", lambda: client.update_notification_settings({"enable_sounds": False}))

# Groups.
gardeners = {"name": "gardeners", "description": "Who waters", "members": [bob_id]}
run("create_user_group", lambda: client.create_user_group(gardeners))
groups = run("get_user_groups", lambda: client.get_user_groups())["user_groups"]
group = next(group["id"] for group in groups if group["name"] == "gardeners")
run("update_user_group", lambda: client.update_user_group({"group_id": group, "description": "Who waters and weeds"}))
run("update_user_group_members", lambda: client.update_user_group_members(group, {"add": [ines]}))
run("remove_user_group", lambda: client.remove_user_group(group))

# The organization.
run("get_server_settings", lambda: client.get_server_settings())
run("get_realm_emoji", lambda: client.get_realm_emoji())
leaf = io.BytesIO(one_green_pixel())
leaf.name = "leaf.png"
run("upload_custom_emoji", lambda: client.upload_custom_emoji("leaf", leaf))
run("delete_custom_emoji", lambda: client.delete_custom_emoji("leaf"))
linkifier = run("add_realm_filter", lambda: client.add_realm_filter("#(?P<id>[0-9]+)", "https://example.com/{id}"))
run("get_realm_linkifiers", lambda: client.get_realm_linkifiers())
run("remove_realm_filter", lambda: client.remove_realm_filter(linkifier["id"]))

# Files.
notes = io.BytesIO(b"Water the tomatoes.\n")
notes.name = "notes.txt"
path = run("upload_file", lambda: client.upload_file(notes))["uri"]
to_bob(f"[notes]({path})")
run("get_attachments", lambda: client.get_attachments())
run("get_stream_email_address", lambda: client.get_stream_email_address(kitchen))

# What it asks people about themselves.
team = run("create_realm_profile_field", lambda: client.create_realm_profile_field(name="Team", hint="", field_type=1))["id"]
fields = run("get_realm_profile_fields", lambda: client.get_realm_profile_fields())["custom_fields"]
run("reorder_realm_profile_fields", lambda: client.reorder_realm_profile_fields(order=[field["id"] for field in fields]))
run("update_realm_profile_field", lambda: client.update_realm_profile_field(team, name="Crew"))
run("remove_realm_profile_field", lambda: client.remove_realm_profile_field(team))

# Events.
queue = run("register", lambda: client.register(event_types=["message"], narrow=[["stream", "kitchen"]]))
poll = {"queue_id": queue["queue_id"], "last_event_id": queue["last_event_id"], "dont_block": True}
run("get_events", lambda: client.get_events(**poll))
run("deregister", lambda: client.deregister(queue["queue_id"]))

print(json.dumps({"answers": answers, "received": received}))
