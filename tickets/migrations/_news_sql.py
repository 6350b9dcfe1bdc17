"""News of tickets for messages: a trigger notes each line of a timeline that says what happened, and each comment.

Only while a rule or another ticket system is there to hear it. Lines without an event (a step, a note) are no news.
"""

CREATE = """
CREATE FUNCTION tickets_news_of_changes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM tickets_messagerule WHERE active)
        OR EXISTS (SELECT FROM tickets_ticketsystem WHERE active) THEN
        INSERT INTO tickets_newsrow (source, source_id) SELECT 'change', id FROM added WHERE event <> '';
    END IF;
    RETURN NULL;
END $$;

CREATE FUNCTION tickets_news_of_comments() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM tickets_messagerule WHERE active)
        OR EXISTS (SELECT FROM tickets_ticketsystem WHERE active) THEN
        INSERT INTO tickets_newsrow (source, source_id) SELECT 'comment', id FROM added;
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER tickets_news_of_changes AFTER INSERT ON tickets_ticketchange
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION tickets_news_of_changes();
CREATE TRIGGER tickets_news_of_comments AFTER INSERT ON tickets_comment
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION tickets_news_of_comments();
"""

DROP = """
DROP TRIGGER tickets_news_of_changes ON tickets_ticketchange;
DROP TRIGGER tickets_news_of_comments ON tickets_comment;
DROP FUNCTION tickets_news_of_changes();
DROP FUNCTION tickets_news_of_comments();
"""
