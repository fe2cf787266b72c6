def generate_rollout(args, rollout_id, data_source, evaluation=False):
    raise NotImplementedError
