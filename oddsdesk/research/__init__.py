"""What was recorded, looked at afterwards: taken out, summed up, decided on again."""
